import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { CLOCK } from '../database/database-time.ts';
import { query } from '../database/query-builder.ts';
import { bulkRuns } from '../database/schema/bulk.ts';
import { type Named, prepare } from '../database/statement.ts';
import type { Actor } from '../repository/actor.ts';
import type { BulkAction, BulkParameters, BulkType } from './bulk-action.ts';
import { addChangedItems, addItems, beginRun, nextChangedItems } from './run-queries.ts';

/** A run to start. */
export interface NewRun {
  readonly type: BulkType;
  readonly action: BulkAction;
  readonly parameters: BulkParameters;
}

/** A run to undo. */
interface UndoneRun {
  readonly id: number;
  readonly type: BulkType;
  readonly field: string;
  readonly membersOf: number | undefined;
}

type RunRow = {
  readonly userId: number;
  readonly type: BulkType;
  readonly action: BulkAction;
  readonly parameters: string;
};

const insertRun = prepare((row: Named<RunRow>) =>
  query
    .insert(bulkRuns)
    .values({
      userId: row.userId,
      entityType: row.type,
      action: row.action,
      parameters: row.parameters,
      state: 'preparing',
      createdAt: sql`${CLOCK}`,
    })
    .returning({ id: bulkRuns.id }),
);

/** Starts a run for the ids, which are stored group by group. Work begins when all are stored. Returns its id. */
export async function startRun(
  database: Database,
  actor: Pick<Actor, 'id'>,
  run: NewRun,
  groups: AsyncIterable<readonly number[]> | Iterable<readonly number[]>,
): Promise<number> {
  const id = await insert(database, actor, run);
  for await (const group of groups)
    await database.write([addItems[run.type]({ runId: id, ids: JSON.stringify(group) })]);
  await database.write([beginRun({ id })]);
  return id;
}

/** Starts the run that restores what another one has changed. Returns its id. */
export async function startUndo(
  database: Database,
  actor: Pick<Actor, 'id'>,
  { id: undone, type, field, membersOf }: UndoneRun,
): Promise<number> {
  const parameters = { field, undoes: undone, membersOf };
  const id = await insert(database, actor, { type, action: 'undo', parameters });
  for (let after = 0; ; ) {
    const upTo = (await database.get(nextChangedItems({ of: undone, after })))?.last ?? undefined;
    if (upTo === undefined) break;
    await database.write([addChangedItems({ runId: id, of: undone, after, upTo })]);
    after = upTo;
  }
  await database.write([beginRun({ id })]);
  return id;
}

async function insert(
  database: Database,
  actor: Pick<Actor, 'id'>,
  { type, action, parameters }: NewRun,
): Promise<number> {
  const row = { userId: actor.id, type, action, parameters: JSON.stringify(parameters) };
  const { runs } = await database.write({ runs: insertRun(row) });
  const [inserted] = runs;
  if (inserted === undefined) throw new Error('the database returned no id of the new run');
  return inserted.id;
}
