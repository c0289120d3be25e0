import { stat } from 'node:fs/promises';
import { releaseAfterRows } from '../../base/release-memory.ts';
import { type CheckProgress, ProblemCollector } from '../table/check-table.ts';
import { readHeader, readTable } from '../table/read-table.ts';
import { type ListedTerm, RowIndex } from '../table/row-index.ts';
import { TableError, type TableProblem, type TableRow, tableProblem } from '../table/row-plan.ts';
import type { Reading } from '../table/table-bytes.ts';
import type { LoadContext } from '../table/table-options.ts';
import { keyIn } from './find-rows.ts';
import { createUpdatePlanner } from './plan-update.ts';
import { CLEARING, type PlannedRow, type UpdateOptions, type UpdatePlan } from './update-plan.ts';

/** The number of rows whose changes a check returns. */
const MAX_SHOWN = 50;

/** The changes that a table would make. */
export interface UpdateCheck {
  readonly rows: number;
  /** The number of items that would change. */
  readonly items: number;
  /** The number of cells that would change, by column. */
  readonly cells: ReadonlyMap<string, number>;
  /** The number of cells that would lose all of their values. */
  readonly cleared: number;
  /** The changes of the first fifty rows that change something. */
  readonly shown: readonly UpdatePlan[];
  readonly newTerms: ReadonlyMap<string, number>;
  readonly listedTerms: readonly ListedTerm[];
  /** The first thousand problems, ordered by row. */
  readonly problems: readonly TableProblem[];
  readonly problemCount: number;
}

export interface UpdateWatch {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: CheckProgress) => void) | undefined;
}

/**
 * Checks a whole table of changes, and changes nothing. Throws the signal's reason when it is aborted.
 */
export async function checkUpdate(
  context: LoadContext,
  file: string,
  options: UpdateOptions,
  { signal, onProgress }: UpdateWatch = {},
): Promise<UpdateCheck> {
  const problems = new ProblemCollector();
  const index = new RowIndex();
  const cells = new Map<string, number>();
  const shown: UpdatePlan[] = [];
  const firstRows = new Map<number, number>();
  let [rows, items, cleared, bytes] = [0, 0, 0, 0];

  function add({ number, line, shownNumber = number }: TableRow, { id, plan, problems: ofRow }: PlannedRow): void {
    problems.add(ofRow);
    const first = id === undefined ? undefined : firstRows.get(id);
    if (first !== undefined)
      problems.add([{ row: number, line, column: undefined, message: `Row ${first} changes the same item.` }]);
    else if (id !== undefined) firstRows.set(id, shownNumber);
    if (plan === undefined) return;
    items += 1;
    for (const { column, after } of plan.cells) {
      cells.set(column, (cells.get(column) ?? 0) + 1);
      if (after === '' || after.trim() === CLEARING) cleared += 1;
    }
    if (shown.length < MAX_SHOWN) shown.push(plan);
    index.countTerms(plan.after, plan.line);
  }

  try {
    const totalBytes = (await stat(file)).size;
    const onBytes = (chunk: Uint8Array) => {
      bytes += chunk.length;
    };
    for await (const batch of readUpdate(context, file, options, { signal, onBytes })) {
      for (const [row, planned] of batch) add(row, planned);
      rows += batch.length;
      releaseAfterRows();
      onProgress?.({ rows, bytes, totalBytes });
    }
    if (rows === 0) problems.add([tableProblem('The table has a header and no rows.')]);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    problems.add(error instanceof HeaderError ? error.problems : [error.problem]);
  }
  return {
    ...{ rows, items, cells, cleared, shown },
    ...{ newTerms: index.newTerms, listedTerms: index.listedTerms },
    ...{ problems: problems.sorted(), problemCount: problems.count },
  };
}

/** The error for a header with problems. */
class HeaderError extends TableError {
  constructor(readonly problems: readonly TableProblem[]) {
    super(problems[0] as TableProblem);
  }
}

interface UpdateReading extends Reading {
  /** False to skip the checks that every write repeats (default: true). */
  readonly validates?: boolean;
}

/** Reads a table of changes, in batches of rows with what they change. Throws TableError for an unreadable table. */
export async function* readUpdate(
  context: LoadContext,
  file: string,
  options: UpdateOptions,
  { validates = true, ...reading }: UpdateReading,
): AsyncGenerator<(readonly [TableRow, PlannedRow])[]> {
  const { signal } = reading;
  const readKeys = (column: string) => keysOf(file, options, column, signal);
  const planner = createUpdatePlanner(context, await readHeader(file, options), options, readKeys, signal);
  if (planner.columns.problems.length > 0) throw new HeaderError(planner.columns.problems);
  for await (const batch of readTable(file, options, reading)) {
    const planned = await planner.plan(batch, validates);
    yield batch.map((row, at) => [row, planned[at] as PlannedRow] as const);
  }
}

/** Returns the values of a column that names content by a field. */
async function keysOf(file: string, options: UpdateOptions, column: string, signal: AbortSignal | undefined) {
  const keys = new Set<string>();
  for await (const batch of readTable(file, options, { signal })) {
    for (const { cells } of batch) keys.add(keyIn(cells.get(column) ?? ''));
    releaseAfterRows();
  }
  return keys;
}
