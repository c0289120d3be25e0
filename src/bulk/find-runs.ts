import { and, count, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Database } from '../database/database.ts';
import { query } from '../database/query-builder.ts';
import { bulkItems } from '../database/schema/bulk.ts';
import { runs } from '../database/schema/runs.ts';
import { users } from '../database/schema/users.ts';
import { isText, nested } from '../database/sql.ts';
import { type Named, prepare, statementOf } from '../database/statement.ts';
import { RUN_COLUMNS, type Run } from '../runs/runs.ts';
import { type BulkChange, bulkRuns, type ItemState } from './bulk-action.ts';

/** A run as its page shows it. Times are seconds since 1970. */
export interface BulkRun extends BulkChange, Omit<Run<BulkChange, never, string>, 'about' | 'progress' | 'result'> {
  readonly userName: string | null;
  /** The reason why it stopped, unless a user stopped it. */
  readonly message: string | null;
  /** The number of items in each state. */
  readonly counts: Readonly<Record<ItemState, number>>;
  /** The run that undoes it, if there is one. */
  readonly undoneBy: number | null;
}

/** An item of a run with its result. */
export interface BulkResult {
  readonly entityId: number;
  readonly state: ItemState;
  readonly label: string | null;
  readonly reason: string | null;
  readonly revisionBefore: number | null;
  readonly revisionAfter: number | null;
}

const items = bulkItems;
const undoing = alias(runs, 'undoing');

const RUN = {
  ...RUN_COLUMNS,
  userName: sql<string | null>`${users.name}`,
  counts:
    nested(sql<string>`(SELECT json_group_object(state, number) FROM (SELECT ${items.state} AS state, count(*) AS number
    FROM ${items} WHERE ${items.runId} = ${runs.id} GROUP BY ${items.state}))`),
  undoneBy: nested(sql<number | null>`(SELECT ${undoing.id} FROM ${runs} ${undoing}
    WHERE ${undoing.about} ->> '$.parameters.undoes' = ${runs.id} AND ${undoing.userId} = ${runs.userId} LIMIT 1)`),
};

const runsWith = (condition?: SQL) =>
  query
    .select(RUN)
    .from(runs)
    .leftJoin(users, eq(users.id, runs.userId))
    .where(and(bulkRuns.isOfKind, condition))
    .orderBy(desc(runs.id));

const runById = prepare(({ id }: Named<{ id: number }>) => runsWith(eq(runs.id, id)));
const runsOfUser = prepare(({ userId, limit }: Named<{ userId: number; limit: number }>) =>
  runsWith(eq(runs.userId, userId)).limit(limit),
);
const latestRuns = prepare(({ limit }: Named<{ limit: number }>) => runsWith().limit(limit));

const NO_ITEMS: BulkRun['counts'] = { waiting: 0, done: 0, unchanged: 0, skipped: 0, failed: 0 };

function toBulkRun({ counts, userName, undoneBy, ...row }: SelectResultFields<typeof RUN>): BulkRun {
  const { about, progress: _, result, ...run } = bulkRuns.toRun(row);
  const message = result ?? null;
  return { ...run, ...about, message, userName, undoneBy, counts: { ...NO_ITEMS, ...JSON.parse(counts) } };
}

/** Returns true for a run that has ended and changed values, and that is not undone. */
export function isUndoable({ action, endedAt, counts, undoneBy }: BulkRun): boolean {
  return action !== 'delete' && action !== 'derivatives' && endedAt !== null && counts.done > 0 && undoneBy === null;
}

/** Returns a run, or undefined. */
export async function findRun(database: Database, id: number): Promise<BulkRun | undefined> {
  const row = await database.get(runById({ id }));
  return row && toBulkRun(row);
}

/** Returns the newest runs of a user. */
export async function findRunsOf(database: Database, userId: number, limit: number): Promise<BulkRun[]> {
  return (await database.all(runsOfUser({ userId, limit }))).map(toBulkRun);
}

/** Returns the newest runs of all users. */
export async function findLatestRuns(database: Database, limit: number): Promise<BulkRun[]> {
  return (await database.all(latestRuns({ limit }))).map(toBulkRun);
}

const isTableUpdate = sql`${runs.about} ->> 'action' = 'update' AND ${runs.about} ->> '$.parameters.targetLabel' IS NOT NULL`;

/** Returns the newest changes by tables: those of a user, or of all users. */
export async function findTableUpdates(
  database: Database,
  userId: number | undefined,
  limit: number,
): Promise<BulkRun[]> {
  const condition = and(isTableUpdate, userId === undefined ? undefined : eq(runs.userId, userId));
  return (await database.all(statementOf(runsWith(condition).limit(limit)))).map(toBulkRun);
}

type ResultPage = { readonly runId: number; readonly limit: number; readonly offset: number };

const RESULT = {
  entityId: items.entityId,
  state: items.state,
  label: items.label,
  reason: items.reason,
  revisionBefore: items.revisionBefore,
  revisionAfter: items.revisionAfter,
};

const resultsOf = prepare(({ runId, state, limit, offset }: Named<ResultPage & { state: string }>) =>
  query
    .select(RESULT)
    .from(items)
    .where(and(eq(items.runId, runId), sql`${items.state} = ${state}`))
    .orderBy(items.id)
    .limit(limit)
    .offset(offset),
);

/** Returns a page of the items of a run in a state. */
export function findResults(database: Database, state: ItemState, page: ResultPage): Promise<BulkResult[]> {
  return database.all(resultsOf({ ...page, state }));
}

const resume = prepare(({ id }: Named<{ id: number }>) =>
  query
    .update(runs)
    .set({ state: 'running', endedAt: null, result: null })
    .where(and(bulkRuns.isOfKind, eq(runs.id, id), isText(runs.state, 'stopped'))),
);

/** Continues a stopped run. Returns false if it was not stopped. */
export async function resumeRun(database: Database, id: number): Promise<boolean> {
  const { resumed } = await database.write({ resumed: resume({ id }) });
  return resumed.changes === 1;
}

const countOpen = prepare(({ userId }: Named<{ userId: number }>) =>
  query
    .select({ count: count() })
    .from(runs)
    .where(and(bulkRuns.isOfKind, eq(runs.userId, userId), isNull(runs.endedAt))),
);

/** Returns the number of unfinished runs of a user. */
export async function countOpenRuns(database: Database, userId: number): Promise<number> {
  return (await database.get(countOpen({ userId })))?.count ?? 0;
}
