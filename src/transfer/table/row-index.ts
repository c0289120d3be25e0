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

/** What rows of one table say about each other, and what they come to together. */
export class RowIndex {
  readonly newTerms = new Map<string, number>();
  readonly listedTerms: ListedTerm[] = [];
  readonly files = { count: 0, bytes: 0 };
  /** What rows call themselves, by row number. */
  readonly ids: string[] = [];
  /** Row numbers by id. */
  readonly #rows = new Map<string, number>();
  /** Of rows that name one: their id to that of their parent. */
  readonly #parents = new Map<string, string>();
  readonly #aliases = new Map<string, number>();
  readonly #terms = new Set<string>();
  /** Planners use the same object again for the same term. */
  readonly #counted = new WeakSet<NewTerm>();
  readonly #lines: number[] = [];

  /** Takes a row in; answers what of it another row has already. */
  add({ number, line, cells }: TableRow): TableProblem[] {
    this.#lines[number] = line;
    const found: TableProblem[] = [];
    const id = cells.get(ID)?.trim();
    const alias = cells.get('url_alias')?.trim();
    if (id !== undefined) {
      const first = this.#rows.get(id);
      this.ids[number] = id;
      if (first === undefined) this.#rows.set(id, number);
      else found.push(this.#problem(number, ID, `${shown(id)} is the id of row ${first} already.`));
      const parent = cells.get(PARENT)?.trim();
      if (parent !== undefined && first === undefined) this.#parents.set(id, parent);
    }
    if (alias !== undefined) {
      const first = this.#aliases.get(alias);
      if (first === undefined) this.#aliases.set(alias, number);
      else found.push(this.#problem(number, 'url_alias', `${shown(alias)} is the alias of row ${first} already.`));
    }
    return found;
  }

  /** Counts what is to be made of a row. */
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

  /** The rows that others are members of, by id. */
  parents(): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const id of this.#parents.values()) {
      const row = this.#rows.get(id);
      if (row !== undefined) found.set(id, row);
    }
    return found;
  }

  /** Parents that are not in the table, and rows that are below themselves. For when all rows are there. */
  *parentProblems(): Generator<TableProblem> {
    const isSound = new Set<string>();
    for (const [id, parent] of this.#parents) {
      if (!this.#rows.has(parent)) {
        const advice = 'A node that is there already is named in field_member_of, by its node id.';
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
    return this.#problem(row, PARENT, `Rows are members of each other in a circle: ${chain}.`);
  }

  #problem(row: number | undefined, column: string, message: string): TableProblem {
    return { row, line: row === undefined ? undefined : this.#lines[row], column, message };
  }
}
