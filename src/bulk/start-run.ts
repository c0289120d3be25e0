import type { InStatement } from '@libsql/client';
import type { Database } from '../database/database.ts';
import { contentTables } from '../database/schema/content.ts';
import type { Actor } from '../repository/actor.ts';
import { type BulkChange, type BulkType, bulkRuns } from './bulk-action.ts';
import type { MemberPlan } from './plan-members.ts';
import {
  addChangedItems,
  addItems,
  addKept,
  beginRun,
  endChosen,
  type NewItem,
  nextChangedItems,
} from './run-queries.ts';

/** A run to undo. */
interface UndoneRun {
  readonly id: number;
  readonly type: BulkType;
  /** Undefined if it has changed several. */
  readonly field: string | undefined;
  readonly membersOf: number | undefined;
}

/** The number of items that one transaction adds. */
const GROUP = 1_000;

/** The members that follow the items of a run, and those that stay as they are. */
export type FollowingMembers = Pick<MemberPlan, 'following' | 'kept'>;

/**
 * Stores a run for the ids, then for the members that follow them, group by group. Work begins when `beginRun` is written.
 * Returns its id.
 */
export async function prepareRun(
  database: Database,
  actor: Pick<Actor, 'id'>,
  run: BulkChange,
  ids: readonly number[],
  members?: FollowingMembers,
): Promise<number> {
  const id = await insert(database, actor, run);
  const add = async (added: readonly number[]) => {
    for (const group of groupsOf(added))
      await database.write([
        itemsOf(
          id,
          run,
          group.map((each) => [each]),
        ),
      ]);
  };
  await add(ids);
  if (members === undefined) return id;
  if (ids.length > 0) await database.write([endChosen({ runId: id })]);
  await add(members.following.map((member) => member.id));
  for (const group of groupsOf(members.kept))
    await database.write([addKept({ runId: id, list: JSON.stringify(group.map((kept) => [kept.id, kept.reason])) })]);
  return id;
}

/** Starts a run for the ids, and for the members that follow them. Returns its id. */
export async function startRun(...run: Parameters<typeof prepareRun>): Promise<number> {
  const id = await prepareRun(...run);
  await run[0].write([beginRun({ id })]);
  return id;
}

/**
 * Starts a run that has the values of each item, group by group. Returns its id. `also` returns further statements for the
 * transaction in which the work begins.
 */
export async function startPlannedRun(
  database: Database,
  actor: Pick<Actor, 'id'>,
  run: BulkChange,
  groups: AsyncIterable<readonly NewItem[]> | Iterable<readonly NewItem[]>,
  also: (id: number) => readonly InStatement[] = () => [],
): Promise<number> {
  const id = await insert(database, actor, run);
  for await (const group of groups) await database.write([itemsOf(id, run, group)]);
  await database.write([...also(id), beginRun({ id })]);
  return id;
}

function itemsOf(runId: number, { type }: BulkChange, items: readonly NewItem[]) {
  const add = addItems(contentTables[type]);
  return add({ runId, list: JSON.stringify(items) });
}

function* groupsOf<Item>(all: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < all.length; start += GROUP) yield all.slice(start, start + GROUP);
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
