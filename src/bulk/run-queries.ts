import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, max, or, sql } from 'drizzle-orm';
import { CLOCK } from '../database/database-time.ts';
import { query } from '../database/query-builder.ts';
import { bulkItems, bulkRuns } from '../database/schema/bulk.ts';
import { contentTables } from '../database/schema/content.ts';
import { isText, namesOf } from '../database/sql.ts';
import { type Named, plain, prepare } from '../database/statement.ts';
import { isFree, RELEASED, RENEWED } from '../runs/lease.ts';
import type { BulkType, ItemState } from './bulk-action.ts';

const runs = bulkRuns;
const items = bulkItems;
const isRunning = isText(runs.state, 'running');
const isOpen = and(isNull(runs.endedAt), isRunning);

type Owned = { readonly id: number; readonly lease: string };

/** The leases of unfinished runs. */
export const openLeases = prepare(() =>
  query
    .selectDistinct({ lease: runs.lease })
    .from(runs)
    .where(and(isOpen, isNotNull(runs.lease))),
);

/** A run that no process works on. */
export const freeRun = prepare(({ orphaned }: Named<{ orphaned: string }>) =>
  query
    .select({ id: runs.id })
    .from(runs)
    .where(and(isOpen, isFree(runs, orphaned)))
    .limit(1),
);

/** Takes the free run with the least work done: a short one does not wait for the end of a long one. */
export const takeRun = prepare(({ lease, orphaned }: Named<{ lease: string; orphaned: string }>) => {
  const next = query
    .select({ id: runs.id })
    .from(runs)
    .where(and(isOpen, isFree(runs, orphaned)))
    .orderBy(asc(runs.worked), asc(runs.id))
    .limit(1);
  return query
    .update(runs)
    .set({ lease, ...RENEWED })
    .where(inArray(runs.id, next))
    .returning({
      id: runs.id,
      userId: runs.userId,
      type: runs.entityType,
      action: runs.action,
      parameters: runs.parameters,
    });
});

const isHeld = ({ id, lease }: Named<Owned>) => and(eq(runs.id, id), eq(runs.lease, lease), isRunning);

/** Extends a lease and adds the time of work. Changes no run that was stopped or taken over. */
export const renewRun = prepare(({ id, lease, seconds }: Named<Owned & { seconds: number }>) =>
  query
    .update(runs)
    .set({ ...RENEWED, worked: sql`${runs.worked} + ${seconds}` })
    .where(isHeld({ id, lease })),
);

export const releaseRun = prepare(({ id, lease }: Named<Owned>) =>
  query
    .update(runs)
    .set(RELEASED)
    .where(and(eq(runs.id, id), eq(runs.lease, lease))),
);

type Ending = Owned & { readonly state: 'done' | 'stopped'; readonly message: string | null };

export const endRun = prepare((owned: Named<Ending>) =>
  query
    .update(runs)
    .set({ state: owned.state, message: owned.message, endedAt: CLOCK, ...RELEASED })
    .where(isHeld(owned)),
);

/** The next items of a run after an item. */
export const waitingItems = prepare(({ runId, limit }: Named<{ runId: number; limit: number }>) =>
  query
    .select({ id: items.id, entityId: items.entityId, before: items.before, after: items.after })
    .from(items)
    .where(and(eq(items.runId, runId), isText(items.state, 'waiting')))
    .orderBy(asc(items.id))
    .limit(limit),
);

/** The result of an item. */
export type ItemResult = {
  readonly id: number;
  readonly state: Exclude<ItemState, 'waiting'>;
  readonly label: string | null;
  readonly reason: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly revisionBefore: number | null;
};

/** Stores the result of a waiting item. */
export const settleItem = prepare((result: Named<ItemResult>) =>
  query
    .update(items)
    .set({
      state: result.state,
      label: sql`coalesce(${result.label}, ${items.label})`,
      reason: result.reason,
      before: result.before,
      after: result.after,
      revisionBefore: result.revisionBefore,
    })
    .where(and(eq(items.id, result.id), isText(items.state, 'waiting'))),
);

/** The values of a changed item of another run. */
export const changedItem = prepare(({ runId, entityId }: Named<{ runId: number; entityId: number }>) =>
  query
    .select({ before: items.before, after: items.after })
    .from(items)
    .where(and(eq(items.runId, runId), eq(items.entityId, entityId), isText(items.state, 'done'))),
);

/** Adds the items with ids of a JSON list, with their present titles. An id that the run has already is skipped. */
export const addItems = {
  node: prepare((values: Named<Added>) => insertItems('node', values)),
  media: prepare((values: Named<Added>) => insertItems('media', values)),
};

type Added = { readonly runId: number; readonly ids: string };

function insertItems(type: BulkType, { runId, ids }: Named<Added>) {
  const table = contentTables[type];
  return plain(sql`INSERT INTO ${items} (${namesOf(items.runId, items.entityId, items.state, items.label)})
    SELECT ${runId}, list.value, 'waiting', ${table.label} FROM json_each(${ids}) list LEFT JOIN ${table} ON ${table.id} = list.value
    WHERE TRUE ORDER BY list.key ON CONFLICT (${namesOf(items.runId, items.entityId)}) DO NOTHING`);
}

/** Adds the changed items of another run, to undo them. */
export const addChangedItems = prepare(
  ({ runId, of, after, upTo }: Named<{ runId: number; of: number; after: number; upTo: number }>) =>
    plain(sql`INSERT INTO ${items} (${namesOf(items.runId, items.entityId, items.state, items.label)})
      SELECT ${runId}, ${items.entityId}, 'waiting', ${items.label} FROM ${items}
      WHERE ${items.runId} = ${of} AND ${items.state} = 'done' AND ${items.id} > ${after} AND ${items.id} <= ${upTo}
      ORDER BY ${items.id}`),
);

/** The maximum number of items that one transaction adds: other requests wait for it. */
const MAX_ADDED_AT_ONCE = 5_000;

/** Finds the last of the next changed items of a run after an item; null if there are none. */
export const nextChangedItems = prepare(({ of, after }: Named<{ of: number; after: number }>) => {
  const next = query
    .select({ id: items.id })
    .from(items)
    .where(and(eq(items.runId, of), isText(items.state, 'done'), gt(items.id, after)))
    .orderBy(asc(items.id))
    .limit(MAX_ADDED_AT_ONCE)
    .as('next');
  return query.select({ last: max(next.id) }).from(next);
});

/** Begins the work on a run whose items are complete. */
export const beginRun = prepare(({ id }: Named<{ id: number }>) =>
  query
    .update(runs)
    .set({ state: 'running' })
    .where(and(eq(runs.id, id), isText(runs.state, 'preparing'))),
);

const MAX_DELETED_AT_ONCE = 5_000;

/** Deletes items of runs that ended, or began to be prepared, before a time. */
export const deleteOldItems = prepare(({ endedBefore, begunBefore }: Named<Old>) => {
  const old = query.select({ id: runs.id }).from(runs).where(isOld(endedBefore, begunBefore));
  const ids = query.select({ id: items.id }).from(items).where(inArray(items.runId, old)).limit(MAX_DELETED_AT_ONCE);
  return query.delete(items).where(inArray(items.id, ids));
});

/** Deletes such runs without items. */
export const deleteOldRuns = prepare(({ endedBefore, begunBefore }: Named<Old>) =>
  query
    .delete(runs)
    .where(
      and(isOld(endedBefore, begunBefore), sql`NOT EXISTS (SELECT 1 FROM ${items} WHERE ${items.runId} = ${runs.id})`),
    ),
);

type Old = { readonly endedBefore: number; readonly begunBefore: number };

const isOld = (endedBefore: Named<Old>['endedBefore'], begunBefore: Named<Old>['begunBefore']) =>
  or(
    and(isNotNull(runs.endedAt), lte(runs.endedAt, endedBefore)),
    and(isNull(runs.endedAt), isText(runs.state, 'preparing'), gt(sql`${begunBefore}`, runs.createdAt)),
  );
