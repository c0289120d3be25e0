import { and, asc, eq, gt, inArray, lte, max, or, sql } from 'drizzle-orm';
import { madeOnce } from '../base/made-once.ts';
import { query } from '../database/query-builder.ts';
import { bulkItems } from '../database/schema/bulk.ts';
import { type ContentTable, nodes } from '../database/schema/content.ts';
import { references } from '../database/schema/references.ts';
import { runs } from '../database/schema/runs.ts';
import { isText, namesOf } from '../database/sql.ts';
import { type Named, plain, prepare } from '../database/statement.ts';
import { isParentOf } from '../repository/relations.ts';
import type { ItemState } from './bulk-action.ts';

const items = bulkItems;

/** The next items of a run after an item. */
export const waitingItems = prepare(({ runId, limit }: Named<{ runId: number; limit: number }>) =>
  query
    .select({ id: items.id, entityId: items.entityId, before: items.before, after: items.after })
    .from(items)
    .where(and(eq(items.runId, runId), isText(items.state, 'waiting')))
    .orderBy(asc(items.id))
    .limit(limit),
);

/** The first items of a run. */
export const itemsOfRun = prepare(({ runId, limit }: Named<{ runId: number; limit: number }>) =>
  query
    .select({ entityId: items.entityId })
    .from(items)
    .where(eq(items.runId, runId))
    .orderBy(asc(items.entityId))
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

/** An item to add: its id, and the values that it must have and gets as JSON, if the run has them for each item. */
export type NewItem = readonly [id: number, before?: string, after?: string];

/** Adds the items of a JSON list of `NewItem`, with their present titles. An id that the run has already is skipped. */
export const addItems = madeOnce((table: ContentTable) =>
  prepare(({ runId, list }: Named<{ runId: number; list: string }>) =>
    plain(sql`INSERT INTO ${items}
        (${namesOf(items.runId, items.entityId, items.state, items.label, items.before, items.after)})
      SELECT ${runId}, item.value ->> 0, 'waiting', ${table.label}, item.value ->> 1, item.value ->> 2
      FROM json_each(${list}) item LEFT JOIN ${table} ON ${table.id} = item.value ->> 0
      WHERE TRUE ORDER BY item.key ON CONFLICT (${namesOf(items.runId, items.entityId)}) DO NOTHING`),
  ),
);

/** Adds the members that stay as they are, each with the reason. The list is JSON: `[id, reason]`. */
export const addKept = prepare(({ runId, list }: Named<{ runId: number; list: string }>) =>
  plain(sql`INSERT INTO ${items} (${namesOf(items.runId, items.entityId, items.state, items.label, items.reason)})
    SELECT ${runId}, list.value ->> 0, 'skipped', ${nodes.label}, list.value ->> 1
    FROM json_each(${list}) list CROSS JOIN ${nodes} ON ${nodes.id} = list.value ->> 0
    WHERE TRUE ORDER BY list.key ON CONFLICT (${namesOf(items.runId, items.entityId)}) DO NOTHING`),
);

/** Stores that all present items of a run are the chosen ones: members follow behind them. */
export const endChosen = prepare(({ runId }: Named<{ runId: number }>) =>
  query
    .update(runs)
    .set({
      about: sql`json_set(${runs.about}, '$.parameters.lastChosen',
        (SELECT max(${items.id}) FROM ${items} WHERE ${items.runId} = ${runId}))`,
    })
    .where(eq(runs.id, runId)),
);

/** The result of an item so far. */
export const resultOfItem = prepare(({ runId, entityId }: Named<{ runId: number; entityId: number }>) =>
  query
    .select({ id: items.id, state: items.state, reason: items.reason })
    .from(items)
    .where(and(eq(items.runId, runId), eq(items.entityId, entityId))),
);

/** Finds an item to which a member belongs and that a run does not delete. */
export const stayingParent = prepare(({ runId, memberId }: Named<{ runId: number; memberId: number }>) => {
  const going = sql`SELECT ${items.entityId} FROM ${items}
    WHERE ${items.runId} = ${runId} AND ${items.state} NOT IN ('skipped', 'failed')`;
  return query
    .select({ id: nodes.id })
    .from(references)
    .innerJoin(nodes, eq(nodes.id, references.targetId))
    .where(
      and(
        isParentOf(references, memberId),
        sql`${references.targetId} <> ${memberId} AND ${references.targetId} NOT IN (${going})`,
      ),
    )
    .limit(1);
});

/** Deletes a run that is not complete yet, with its items. */
export const discardRun = [
  prepare(({ id }: Named<{ id: number }>) => {
    const prepared = query
      .select({ id: runs.id })
      .from(runs)
      .where(and(eq(runs.id, id), isText(runs.state, 'preparing')));
    return query.delete(items).where(inArray(items.runId, prepared));
  }),
  prepare(({ id }: Named<{ id: number }>) =>
    query.delete(runs).where(and(eq(runs.id, id), isText(runs.state, 'preparing'))),
  ),
] as const;

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
  and(
    // Checks of files and imports stay: later ones refer to them.
    sql`${runs.kind} IN ('bulk', 'merge', 'scan')`,
    or(lte(runs.endedAt, endedBefore), and(isText(runs.state, 'preparing'), gt(sql`${begunBefore}`, runs.createdAt))),
  );
