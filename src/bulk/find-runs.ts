import { and, count, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Database } from '../database/database.ts';
import { CLOCK } from '../database/database-time.ts';
import { query } from '../database/query-builder.ts';
import { bulkItems, bulkRuns } from '../database/schema/bulk.ts';
import { users } from '../database/schema/users.ts';
import { isText, nested } from '../database/sql.ts';
import { type Named, prepare } from '../database/statement.ts';
import { RELEASED } from '../runs/lease.ts';
import type { BulkAction, BulkParameters, BulkType, ItemState, RunState } from './bulk-action.ts';

/** A run as its page shows it. Times are seconds since 1970. */
export interface BulkRun {
  readonly id: number;
  readonly userId: number;
  readonly userName: string | null;
  readonly type: BulkType;
  readonly action: BulkAction;
  readonly parameters: BulkParameters;
  readonly state: RunState;
  readonly message: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
  /** The seconds that processes have worked on it. */
  readonly worked: number;
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

const runs = bulkRuns;
const items = bulkItems;
const undoing = alias(runs, 'undoing');

const RUN = {
  id: runs.id,
  userId: runs.userId,
  userName: sql<string | null>`${users.name}`,
  type: runs.entityType,
  action: runs.action,
  parameters: runs.parameters,
  state: runs.state,
  message: runs.message,
  createdAt: runs.createdAt,
  endedAt: runs.endedAt,
  worked: runs.worked,
  counts:
    nested(sql<string>`(SELECT json_group_object(state, number) FROM (SELECT ${items.state} AS state, count(*) AS number
    FROM ${items} WHERE ${items.runId} = ${runs.id} GROUP BY ${items.state}))`),
  undoneBy: nested(sql<number | null>`(SELECT ${undoing.id} FROM ${runs} ${undoing} WHERE ${undoing.action} = 'undo'
    AND ${undoing.userId} = ${runs.userId} AND ${undoing.id} > ${runs.id} AND ${undoing.parameters} ->> 'undoes' = ${runs.id}
    LIMIT 1)`),
};

const runById = prepare(({ id }: Named<{ id: number }>) =>
  query.select(RUN).from(runs).leftJoin(users, eq(users.id, runs.userId)).where(eq(runs.id, id)),
);

const runsOfUser = prepare(({ userId, limit }: Named<{ userId: number; limit: number }>) =>
  query
    .select(RUN)
    .from(runs)
    .leftJoin(users, eq(users.id, runs.userId))
    .where(eq(runs.userId, userId))
    .orderBy(desc(runs.id))
    .limit(limit),
);

const latestRuns = prepare(({ limit }: Named<{ limit: number }>) =>
  query.select(RUN).from(runs).leftJoin(users, eq(users.id, runs.userId)).orderBy(desc(runs.id)).limit(limit),
);

type RunRow = Omit<BulkRun, 'parameters' | 'counts'> & { readonly parameters: string; readonly counts: string };

const NO_ITEMS: BulkRun['counts'] = { waiting: 0, done: 0, unchanged: 0, skipped: 0, failed: 0 };

const toRun = ({ parameters, counts, ...row }: RunRow): BulkRun => ({
  ...row,
  parameters: JSON.parse(parameters) as BulkParameters,
  counts: { ...NO_ITEMS, ...(JSON.parse(counts) as Partial<BulkRun['counts']>) },
});

/** Returns a run, or undefined. */
export async function findRun(database: Database, id: number): Promise<BulkRun | undefined> {
  const row = await database.get(runById({ id }));
  return row && toRun(row);
}

/** Returns the newest runs of a user. */
export async function findRunsOf(database: Database, userId: number, limit: number): Promise<BulkRun[]> {
  return (await database.all(runsOfUser({ userId, limit }))).map(toRun);
}

/** Returns the newest runs of all users. */
export async function findLatestRuns(database: Database, limit: number): Promise<BulkRun[]> {
  return (await database.all(latestRuns({ limit }))).map(toRun);
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

const isOpen = and(isNull(runs.endedAt), isText(runs.state, 'running'));

const stop = prepare(({ id }: Named<{ id: number }>) =>
  query
    .update(runs)
    .set({ state: 'stopped', endedAt: CLOCK, ...RELEASED })
    .where(and(eq(runs.id, id), isOpen)),
);

const resume = prepare(({ id }: Named<{ id: number }>) =>
  query
    .update(runs)
    .set({ state: 'running', endedAt: null, message: null })
    .where(and(eq(runs.id, id), isText(runs.state, 'stopped'), isNotNull(runs.endedAt))),
);

/** Stops a run: the remaining items wait. Returns false if it does not run. */
export async function stopRun(database: Database, id: number): Promise<boolean> {
  const { stopped } = await database.write({ stopped: stop({ id }) });
  return stopped.changes === 1;
}

/** Continues a stopped run. Returns false if it was not stopped. */
export async function resumeRun(database: Database, id: number): Promise<boolean> {
  const { resumed } = await database.write({ resumed: resume({ id }) });
  return resumed.changes === 1;
}

const countOpen = prepare(({ userId }: Named<{ userId: number }>) =>
  query
    .select({ count: count() })
    .from(runs)
    .where(and(eq(runs.userId, userId), isNull(runs.endedAt))),
);

/** Returns the number of unfinished runs of a user. */
export async function countOpenRuns(database: Database, userId: number): Promise<number> {
  return (await database.get(countOpen({ userId })))?.count ?? 0;
}
