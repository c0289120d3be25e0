import { shown } from '../../field-types/cell.ts';
import { MEMBER_OF } from '../../repository/relations.ts';
import { ID, PARENT } from './columns.ts';
import type { NewTerm, RowPlan, TableProblem, TableRow } from './row-plan.ts';
import { termKey } from './term-value.ts';
import { TextSet } from './text-set.ts';

const MAX_NAMED = 10;
/** Maximum number of new terms that are listed by name. */
const MAX_LISTED_TERMS = 100;

/** A term that is to be created, and the line of the first row that names it. */
export interface ListedTerm extends NewTerm {
  readonly line: number;
}

/** A row by its number, with its id. */
export interface NumberedRow {
  readonly number: number;
  readonly id: string;
}

/** The relations between the rows of a table, and their totals. */
export class RowIndex {
  readonly newTerms = new Map<string, number>();
  readonly listedTerms: ListedTerm[] = [];
  readonly files = { count: 0, bytes: 0 };
  readonly #ids = new TextSet();
  /** The number of the first row with an id, by the number of the id. */
  readonly #firstRows: number[] = [];
  /** The number of the id of each row; undefined for a row without. */
  readonly #idsOfRows: (number | undefined)[] = [];
  readonly #parentIds = new TextSet();
  /** The number of the parent's id, by the number of the id of a child. */
  readonly #parents: (number | undefined)[] = [];
  readonly #aliases = new TextSet();
  /** The number of the first row with an alias, by the number of the alias. */
  readonly #aliasRows: number[] = [];
  readonly #terms = new Set<string>();
  /** Planners reuse the object of a term. */
  readonly #counted = new WeakSet<NewTerm>();
  readonly #lines: number[] = [];
  /** The numbers in messages of rows whose positions are not shown. */
  readonly #shown: number[] = [];

  /** Adds a row. Returns a problem for an id or alias of an earlier row. */
  add({ number, line, shownNumber, cells }: TableRow): TableProblem[] {
    if (shownNumber !== undefined) this.#shown[number] = shownNumber;
    this.#lines[number] = line;
    const problems: TableProblem[] = [];
    const id = cells.get(ID)?.trim();
    const alias = cells.get('url_alias')?.trim();
    if (id !== undefined) {
      const known = this.#ids.add(id);
      while (this.#idsOfRows.length < number) this.#idsOfRows.push(undefined);
      this.#idsOfRows.push(known);
      const first = this.#firstRows[known];
      if (first !== undefined) {
        problems.push(this.#problem(number, ID, `Row ${this.#nameOf(first)} already has the id ${shown(id)}.`));
      } else {
        this.#firstRows.push(number);
        const parent = cells.get(PARENT)?.trim();
        this.#parents.push(parent === undefined ? undefined : this.#parentIds.add(parent));
      }
    }
    if (alias !== undefined) {
      const known = this.#aliases.add(alias);
      const first = this.#aliasRows[known];
      if (first === undefined) this.#aliasRows.push(number);
      else
        problems.push(
          this.#problem(number, 'url_alias', `Row ${this.#nameOf(first)} already has the alias ${shown(alias)}.`),
        );
    }
    return problems;
  }

  /** The largest number of a row. */
  get lastRow(): number {
    return this.#idsOfRows.length - 1;
  }

  /** Returns the rows by their numbers. Comments have none. */
  *rows(): Generator<NumberedRow> {
    for (const [number, id] of this.#idsOfRows.entries()) if (id !== undefined) yield { number, id: this.#ids.at(id) };
  }

  /** Counts the new terms and files of a row. */
  count({ values, files, line }: RowPlan): void {
    this.countTerms(values, line);
    for (const { source } of files) {
      this.files.count += 1;
      this.files.bytes += source.bytes ?? 0;
    }
  }

  /** Counts the new terms among the values of a row. */
  countTerms(values: RowPlan['values'], line: number): void {
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
  }

  /** Returns the ids of the rows that other rows are members of. */
  parents(): ReadonlySet<string> {
    const parents = new Set<string>();
    for (let parent = 0; parent < this.#parentIds.size; parent++) {
      const id = this.#parentIds.at(parent);
      if (this.#ids.find(id) !== undefined) parents.add(id);
    }
    return parents;
  }

  /** Returns a problem for each missing parent and each cycle. Call it after all rows were added. */
  *parentProblems(): Generator<TableProblem> {
    const idsOfParents = Array.from({ length: this.#parentIds.size }, (_, parent) =>
      this.#ids.find(this.#parentIds.at(parent)),
    );
    const isSound = new Uint8Array(this.#ids.size);
    for (const [id, parent] of this.#parents.entries()) {
      if (parent === undefined) continue;
      if (idsOfParents[parent] === undefined) {
        const missing = shown(this.#parentIds.at(parent));
        const advice = `Write the id of an existing node in ${MEMBER_OF}.`;
        yield this.#problem(this.#firstRows[id], PARENT, `No row has the id ${missing}. ${advice}`);
      }
      const path: number[] = [];
      const onPath = new Set<number>();
      let at: number | undefined = id;
      while (at !== undefined && isSound[at] === 0 && !onPath.has(at)) {
        path.push(at);
        onPath.add(at);
        const above: number | undefined = this.#parents[at];
        at = above === undefined ? undefined : idsOfParents[above];
      }
      for (const each of path) isSound[each] = 1;
      if (at !== undefined && onPath.has(at)) yield this.#cycle(path.slice(path.indexOf(at)));
    }
  }

  #cycle(path: readonly number[]): TableProblem {
    const [first = 0] = path;
    const row = this.#firstRows[first];
    if (path.length === 1) return this.#problem(row, PARENT, 'The row is its own parent.');
    const named = path
      .slice(0, MAX_NAMED)
      .map((id) => `${shown(this.#ids.at(id))} (row ${this.#nameOf(this.#firstRows[id])})`);
    const chain = [...named, ...(path.length > MAX_NAMED ? ['…'] : []), shown(this.#ids.at(first))].join(' in ');
    return this.#problem(row, PARENT, `Rows are members of each other in a cycle: ${chain}.`);
  }

  #nameOf(number: number | undefined): number | undefined {
    return number === undefined ? undefined : (this.#shown[number] ?? number);
  }

  #problem(row: number | undefined, column: string, message: string): TableProblem {
    return { row, line: row === undefined ? undefined : this.#lines[row], column, message };
  }
}
