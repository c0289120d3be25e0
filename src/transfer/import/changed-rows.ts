import type { Database } from '../../database/database.ts';
import { entityPath } from '../../paths.ts';
import type { Planner } from '../table/create-planner.ts';
import type { RowPlan, TableProblem, TableRow } from '../table/row-plan.ts';
import { type ImportRun, nodeIdOf } from './import-run.ts';
import { columnOfPart, countLoaded, findLoaded, type LoadedRow } from './journal-items.ts';
import { idOf } from './load-table.ts';

const ADVICE = 'Undo the change in the table, and make it there.';
const MAX_PROBLEMS = 1_000;

/** What a table that was changed since some of it was loaded means for that. */
export interface ChangedRows {
  /** Of rows that were loaded before they were changed: what they say now would be nowhere. */
  readonly problems: TableProblem[];
  /** How many files rows have now that had another number: row and count. */
  readonly fileCounts: [rowId: string, count: number][];
  /** True if every loaded row still has the position of its node id, so that the other rows keep their reserved ids. */
  readonly keepsIds: boolean;
}

/** Compares a changed table with what was loaded of it. Rows that cannot be planned are left to the check of the table. */
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
