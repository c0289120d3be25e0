import type { Database } from '../database/database.ts';
import { contentTables } from '../database/schema/content.ts';
import type { Actor } from '../repository/actor.ts';
import { type BulkChange, type BulkType, bulkRuns } from './bulk-action.ts';
import { addChangedItems, addItems, beginRun, type NewItem, nextChangedItems } from './run-queries.ts';

/** A run to undo. */
interface UndoneRun {
  readonly id: number;
  readonly type: BulkType;
  /** Undefined if it has changed several. */
  readonly field: string | undefined;
  readonly membersOf: number | undefined;
}

/** Starts a run for items, which are stored group by group. Work begins when all are stored. Returns its id. */
export async function startRun(
  database: Database,
  actor: Pick<Actor, 'id'>,
  run: BulkChange,
  groups: AsyncIterable<readonly NewItem[]> | Iterable<readonly NewItem[]>,
): Promise<number> {
  const id = await insert(database, actor, run);
  for await (const group of groups) {
    const add = addItems(contentTables[run.type]);
    await database.write([add({ runId: id, list: JSON.stringify(group) })]);
  }
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

async function insert(database: Database, { id: userId }: Pick<Actor, 'id'>, about: BulkChange): Promise<number> {
  const { added } = await database.write({ added: bulkRuns.add({ about, userId, state: 'preparing' }) });
  const [run] = added;
  if (run === undefined) throw new Error('the database returned no id of the new run');
  return run.id;
}
