import type { Database } from '../../database/database.ts';
import { entityPath } from '../../paths.ts';
import { type CheckProgress, checkTable, type LoadedRows, type TableCheck } from '../table/check-table.ts';
import { createPlanner, type Planner } from '../table/create-planner.ts';
import { readHeader, readTable } from '../table/read-table.ts';
import type { RowPlan, TableProblem, TableRow } from '../table/row-plan.ts';
import { TableError } from '../table/row-plan.ts';
import type { LoadContext, TableOptions } from '../table/table-options.ts';
import { type ImportRun, type JournalState, nodeIdOf } from './import-run.ts';
import { createJournal } from './journal.ts';
import { columnOfPart, countLoaded, findLoaded, isWhole, type LoadedRow } from './journal-items.ts';
import { idOf } from './load-table.ts';
import { openTableFile, type TableFile } from './table-file.ts';

const MAX_PROBLEMS = 1_000;
const ADVICE = 'Undo the change in the table, and change the node instead.';

/** A table that is to be imported. */
export interface ImportRequest {
  readonly file: string;
  readonly options: TableOptions;
  /** True to load a table again that was already loaded. */
  readonly again: boolean;
}

export interface PrepareWatch {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CheckProgress) => void;
  /** Called with the plan of each valid row that is not completely loaded. */
  readonly onPlan?: ((plan: RowPlan) => void) | undefined;
}

/** A checked table of an import that has not started or continued yet. */
export interface PreparedImport {
  readonly request: ImportRequest;
  readonly table: TableFile;
  /** Its state in the journal. */
  readonly state: JournalState;
  readonly check: TableCheck;
  /** At most a thousand problems of the check, and of rows that were changed after they were loaded. */
  readonly problems: readonly TableProblem[];
  readonly problemCount: number;
  readonly fileCounts: ChangedRows['fileCounts'];
  readonly keepsIds: ChangedRows['keepsIds'];
}

/** A table that was already loaded completely. */
export interface FinishedImport {
  readonly request: ImportRequest;
  readonly table: TableFile;
  readonly finished: ImportRun;
}

/**
 * Finds a table in the journal, and checks it unless it was already loaded completely. Throws `conflict` while another
 * process loads it, TableError for an unreadable file, and the signal's reason.
 */
export async function prepareImport(
  context: LoadContext,
  request: ImportRequest,
  { signal, onProgress, onPlan }: PrepareWatch,
): Promise<PreparedImport | FinishedImport> {
  const { file, options, again } = request;
  const { database } = context.services;
  const table = await openTableFile(file, options.sheet, signal);
  const previous = await createJournal(database).find({ sha256: table.sha256, path: table.place }, again);
  if (previous.kind === 'finished') return { request, table, finished: previous.run };
  // Uses the real path, because a link may change meanwhile.
  const changed = await changedRows(context, { ...request, file: table.path }, previous, signal);
  const check = await checkTable(context, table.path, options, {
    signal,
    onProgress,
    onPlan,
    findLoaded: previous.kind === 'unfinished' ? loadedRows(database, previous) : undefined,
  });
  await table.requireSame();
  return {
    request,
    table,
    state: previous,
    check,
    problems: [...changed.problems, ...check.problems].slice(0, MAX_PROBLEMS),
    problemCount: changed.problems.length + check.problemCount,
    fileCounts: changed.fileCounts,
    keepsIds: changed.keepsIds,
  };
}

async function changedRows(
  context: LoadContext,
  { file, options }: ImportRequest,
  previous: JournalState,
  signal: AbortSignal,
): Promise<ChangedRows> {
  const isSame = previous.kind === 'unfinished' && !previous.isChanged;
  const none: ChangedRows = {
    problems: [],
    fileCounts: [],
    keepsIds: isSame && previous.run.firstNodeId !== undefined,
  };
  if (previous.kind !== 'unfinished' || !previous.isChanged) return none;
  try {
    const planner = await createPlanner(context, await readHeader(file, options), options, { validates: false });
    // The check of the table reports the problems of its header.
    if (Array.isArray(planner)) return none;
    return await findChangedRows(
      context.services.database,
      previous.run,
      planner,
      readTable(file, options, { signal }),
    );
  } catch (error) {
    // The check reports it, too.
    if (error instanceof TableError) return none;
    throw error;
  }
}

/** Returns the look-up of loaded rows. Rows of a changed table are never whole: the check must read them again. */
function loadedRows(
  database: Database,
  { run, isChanged }: Extract<JournalState, { kind: 'unfinished' }>,
): (rows: readonly TableRow[]) => Promise<LoadedRows> {
  return async (rows) => {
    const loaded = await findLoaded(database, run, rows.map(idOf));
    return new Map([...loaded].map(([id, row]) => [id, { isWhole: !isChanged && isWhole(row) }]));
  };
}

/** The changes of a table since some of its rows were loaded. */
export interface ChangedRows {
  /** The problems of loaded rows that were changed, because the change would be lost. */
  readonly problems: TableProblem[];
  /** The rows whose number of files has changed, with the new number. */
  readonly fileCounts: [rowId: string, count: number][];
  /** True if every loaded row still has the position of its node id, so that the other rows keep their reserved ids. */
  readonly keepsIds: boolean;
}

/** Compares a changed table with its loaded rows. Ignores invalid rows, which the check of the table reports. */
export async function findChangedRows(
  database: Database,
  run: ImportRun,
  planner: Planner,
  rows: AsyncIterable<TableRow[]>,
): Promise<ChangedRows> {
  const problems: TableProblem[] = [];
  const fileCounts: ChangedRows['fileCounts'] = [];
  const { firstNodeId = Number.NaN } = run;
  let [inPlace, lastRow] = [0, 0];
  for await (const batch of rows) {
    const loaded = await findLoaded(database, run, batch.map(idOf));
    const known = batch.filter((row) => loaded.has(idOf(row)));
    for (const row of known) if (loaded.get(idOf(row))?.nodeId === nodeIdOf(firstNodeId, row)) inPlace += 1;
    lastRow = batch.at(-1)?.number ?? lastRow;
    const plans = await Promise.all(known.map((row) => planner.plan(row)));
    for (const plan of plans) {
      if (Array.isArray(plan)) continue;
      const former = loaded.get(plan.id) as LoadedRow;
      if (former.fileCount !== plan.files.length) fileCounts.push([plan.id, plan.files.length]);
      if (problems.length < MAX_PROBLEMS) problems.push(...differences(plan, former));
    }
  }
  // Loaded rows that were removed from the table have ids, too. Rows after the last reserved id have none.
  const isInRange = run.firstNodeId !== undefined && lastRow <= run.rows;
  const keepsIds = isInRange && inPlace === (await countLoaded(database, run));
  return { problems, fileCounts, keepsIds };
}

function* differences({ number: row, line, fingerprint, files }: RowPlan, former: LoadedRow): Generator<TableProblem> {
  const path = entityPath.node(former.nodeId);
  if (former.fingerprint !== fingerprint)
    yield { row, line, column: undefined, message: `The row was changed since it became ${path}. ${ADVICE}` };
  for (const [part, { id, fingerprint: ofFile }] of former.media) {
    if (files.find((file) => file.part === part)?.fingerprint === ofFile) continue;
    const message = `The file was changed since it became ${entityPath.media(id)} of ${path}. ${ADVICE}`;
    yield { row, line, column: columnOfPart(part), message };
  }
}
