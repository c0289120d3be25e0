import { shown } from '../../field-types/cell.ts';
import { ID, PARENT } from './columns.ts';
import type { NewTerm, RowPlan, TableProblem, TableRow } from './row-plan.ts';
import { termKey } from './term-value.ts';

const MAX_NAMED = 10;
/** Maximum number of new terms that are listed by name. */
const MAX_LISTED_TERMS = 100;

/** A term that is to be created, and the line of the first row that names it. */
export interface ListedTerm extends NewTerm {
  readonly line: number;
}

/** The relations between the rows of a table, and their totals. */
export class RowIndex {
  readonly newTerms = new Map<string, number>();
  readonly listedTerms: ListedTerm[] = [];
  readonly files = { count: 0, bytes: 0 };
  /** The ids of rows, by row number. */
  readonly ids: string[] = [];
  /** Row numbers by id. */
  readonly #rows = new Map<string, number>();
  /** The ids of parents, by the ids of their children. */
  readonly #parents = new Map<string, string>();
  readonly #aliases = new Map<string, number>();
  readonly #terms = new Set<string>();
  /** Planners reuse the object of a term. */
  readonly #counted = new WeakSet<NewTerm>();
  readonly #lines: number[] = [];

  /** Adds a row. Returns a problem for an id or alias of an earlier row. */
  add({ number, line, cells }: TableRow): TableProblem[] {
    this.#lines[number] = line;
    const found: TableProblem[] = [];
    const id = cells.get(ID)?.trim();
    const alias = cells.get('url_alias')?.trim();
    if (id !== undefined) {
      const first = this.#rows.get(id);
      this.ids[number] = id;
      if (first === undefined) this.#rows.set(id, number);
      else found.push(this.#problem(number, ID, `Row ${first} already has the id ${shown(id)}.`));
      const parent = cells.get(PARENT)?.trim();
      if (parent !== undefined && first === undefined) this.#parents.set(id, parent);
    }
    if (alias !== undefined) {
      const first = this.#aliases.get(alias);
      if (first === undefined) this.#aliases.set(alias, number);
      else found.push(this.#problem(number, 'url_alias', `Row ${first} already has the alias ${shown(alias)}.`));
    }
    return found;
  }

  /** Counts the new terms and files of a row. */
  count({ values, files, line }: RowPlan): void {
    for (const items of values.values())
      for (const { newTerm } of items) {
        if (newTerm === undefined || this.#counted.has(newTerm)) continue;
        this.#counted.add(newTerm);
        const key = termKey(newTerm);
        if (this.#terms.has(key)) continue;
        this.#terms.add(key);
        if (this.listedTerms.length < MAX_LISTED_TERMS) this.listedTerms.push({ ...newTerm, line });
        this.newTerms.set(newTerm.vocabulary, (this.newTerms.get(newTerm.vocabulary) ?? 0) + 1);
      }
    for (const { bytes } of files) {
      this.files.count += 1;
      this.files.bytes += bytes;
    }
  }

  /** Returns the numbers of the rows that other rows are members of, by id. */
  parents(): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const id of this.#parents.values()) {
      const row = this.#rows.get(id);
      if (row !== undefined) found.set(id, row);
    }
    return found;
  }

  /** Returns a problem for each missing parent and each cycle. Call it after all rows were added. */
  *parentProblems(): Generator<TableProblem> {
    const isSound = new Set<string>();
    for (const [id, parent] of this.#parents) {
      if (!this.#rows.has(parent)) {
        const advice = 'Write the id of an existing node in field_member_of.';
        yield this.#problem(this.#rows.get(id), PARENT, `No row has the id ${shown(parent)}. ${advice}`);
      }
      const path: string[] = [];
      const onPath = new Set<string>();
      let at: string | undefined = id;
      while (at !== undefined && !isSound.has(at) && !onPath.has(at)) {
        path.push(at);
        onPath.add(at);
        at = this.#parents.get(at);
      }
      for (const each of path) isSound.add(each);
      if (at !== undefined && onPath.has(at)) yield this.#cycle(path.slice(path.indexOf(at)));
    }
  }

  #cycle(ids: readonly string[]): TableProblem {
    const [first = ''] = ids;
    const row = this.#rows.get(first);
    if (ids.length === 1) return this.#problem(row, PARENT, 'The row is its own parent.');
    const named = ids.slice(0, MAX_NAMED).map((id) => `${shown(id)} (row ${this.#rows.get(id)})`);
    const chain = [...named, ...(ids.length > MAX_NAMED ? ['…'] : []), shown(first)].join(' in ');
    return this.#problem(row, PARENT, `Rows are members of each other in a cycle: ${chain}.`);
  }

  #problem(row: number | undefined, column: string, message: string): TableProblem {
    return { row, line: row === undefined ? undefined : this.#lines[row], column, message };
  }
}
