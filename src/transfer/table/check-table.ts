import { stat } from 'node:fs/promises';
import { countInWords } from '../../base/in-words.ts';
import { releaseAfterRows } from '../../base/release-memory.ts';
import { shown } from '../../field-types/cell.ts';
import { findPaths } from '../../repository/content/read/find-alias.ts';
import { ID } from './columns.ts';
import { openPlanner } from './create-planner.ts';
import { readHeader, readTable } from './read-table.ts';
import { type ListedTerm, type NumberedRow, RowIndex } from './row-index.ts';
import { type RowPlan, TableError, type TableProblem, type TableRow, tableProblem } from './row-plan.ts';
import type { LoadContext, TableOptions } from './table-options.ts';

/** The result of a check of a whole table. */
export interface TableCheck {
  readonly header: readonly string[];
  readonly rows: number;
  /** SHA-256 of the file; empty if it could not be read to its end. */
  readonly sha256: string;
  /** The first thousand problems, ordered by row; those of the whole table come first. */
  readonly problems: readonly TableProblem[];
  /** The number of all problems. */
  readonly problemCount: number;
  /** The number of terms to create, by vocabulary. */
  readonly newTerms: ReadonlyMap<string, number>;
  /** The first hundred new terms, in the order of their rows. */
  readonly listedTerms: readonly ListedTerm[];
  readonly files: { readonly count: number; readonly bytes: number };
  /** The ids of the rows that other rows are members of. */
  readonly parents: ReadonlySet<string>;
  /** The largest number of a row. */
  readonly lastRow: number;
  /** Returns the rows with their ids. */
  readonly numberedRows: () => Iterable<NumberedRow>;
}

export interface CheckProgress {
  readonly rows: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

export interface CheckWatch {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: CheckProgress) => void) | undefined;
  /** Called with the plan of each valid row. */
  readonly onPlan?: ((plan: RowPlan) => void) | undefined;
  /** Finds the rows that an earlier process has loaded, by id. Complete rows are not checked again. */
  readonly findLoaded?: ((rows: readonly TableRow[]) => Promise<LoadedRows>) | undefined;
}

/** Rows whose node exists, by id. They are whole if all of their files are loaded, too. */
export type LoadedRows = ReadonlyMap<string, { readonly isWhole: boolean }>;

/** Checks a whole table, and changes nothing. Throws the signal's reason when it is aborted. */
export async function checkTable(
  context: LoadContext,
  file: string,
  options: TableOptions,
  { signal, onProgress, onPlan, findLoaded }: CheckWatch = {},
): Promise<TableCheck> {
  const problems = new ProblemCollector();
  const index = new RowIndex();
  const hasher = new Bun.CryptoHasher('sha256');
  let [header, rows, bytes, sha256]: [string[], number, number, string] = [[], 0, 0, ''];
  const onBytes = (chunk: Uint8Array) => {
    hasher.update(chunk);
    bytes += chunk.length;
  };
  try {
    header = await readHeader(file, options);
    const { planner, problems: ofTable } = await openPlanner(context, header, options, { signal });
    problems.add(ofTable);
    const totalBytes = (await stat(file)).size;
    for await (const batch of readTable(file, options, { signal, onBytes })) {
      const loaded: LoadedRows = (await findLoaded?.(batch)) ?? new Map();
      const formerOf = ({ cells }: TableRow) => loaded.get(cells.get(ID)?.trim() ?? '');
      const plans = await Promise.all(batch.map((row) => (formerOf(row)?.isWhole ? undefined : planner.plan(row))));
      const taken = await findPaths(
        context.services.database,
        batch.flatMap((row) => aliasOf(row) ?? []),
      );
      for (const [at, row] of batch.entries()) {
        const plan = plans[at];
        if (Array.isArray(plan)) problems.add(plan);
        else if (plan) {
          index.count(plan);
          onPlan?.(plan);
        }
        problems.add(index.add(row));
        if (formerOf(row) === undefined) problems.add(aliasProblem(row, taken));
      }
      rows += batch.length;
      releaseAfterRows();
      onProgress?.({ rows, bytes, totalBytes });
    }
    sha256 = hasher.digest('hex');
    problems.add(index.parentProblems());
    if (rows === 0) problems.add([tableProblem('The table has a header and no rows.')]);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    problems.add([error.problem]);
  }
  return {
    header,
    rows,
    sha256,
    problems: problems.sorted(),
    problemCount: problems.count,
    newTerms: index.newTerms,
    listedTerms: index.listedTerms,
    files: index.files,
    parents: index.parents(),
    lastRow: index.lastRow,
    numberedRows: () => index.rows(),
  };
}

const aliasOf = ({ cells }: TableRow) => cells.get('url_alias')?.trim();

function* aliasProblem(row: TableRow, taken: ReadonlyMap<string, string>): Generator<TableProblem> {
  const alias = aliasOf(row);
  const path = alias === undefined ? undefined : taken.get(alias);
  if (alias === undefined || path === undefined) return;
  const { number, line } = row;
  yield { row: number, line, column: 'url_alias', message: `${path} already has the alias ${shown(alias)}.` };
}

const MAX_PROBLEMS = 1_000;

interface ProblemEntry {
  readonly problem: TableProblem;
  /** The last row with the problem, and the number of rows with it after the first. */
  lastRow: number | undefined;
  moreRows: number;
}

/** Collects the first thousand problems and their total number. The problems of one group count as one. */
export class ProblemCollector {
  readonly #kept: ProblemEntry[] = [];
  readonly #groups = new Map<string, ProblemEntry>();
  count = 0;

  add(problems: Iterable<TableProblem>): void {
    for (const problem of problems) {
      const { row, column, group } = problem;
      const key = group === undefined ? undefined : `${column}\n${group}`;
      const same = key === undefined ? undefined : this.#groups.get(key);
      if (same) {
        if (same.lastRow !== row) same.moreRows += 1;
        same.lastRow = row;
        continue;
      }
      this.count += 1;
      if (this.#kept.length >= MAX_PROBLEMS) continue;
      const kept = { problem, lastRow: row, moreRows: 0 };
      this.#kept.push(kept);
      if (key !== undefined) this.#groups.set(key, kept);
    }
  }

  sorted(): TableProblem[] {
    const place = ({ row, line }: TableProblem) => row ?? line ?? 0;
    return this.#kept.map(withCount).sort((a, b) => place(a) - place(b));
  }
}

function withCount({ problem: { group: _group, ...problem }, moreRows }: ProblemEntry): TableProblem {
  if (moreRows === 0) return problem;
  const rows = countInWords(moreRows, 'more row');
  return { ...problem, message: `${problem.message} The same value is in ${rows}.` };
}
