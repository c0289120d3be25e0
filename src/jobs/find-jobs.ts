import { and, asc, count, desc, eq, gt, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Database } from '../database/database.ts';
import { CLOCK, roundedSeconds } from '../database/database-time.ts';
import { query } from '../database/query-builder.ts';
import { derivativeJobs } from '../database/schema/derivatives.ts';
import { references } from '../database/schema/references.ts';
import { isAmong, isText } from '../database/sql.ts';
import { type Named, plain, prepare, statementOf } from '../database/statement.ts';
import { isMemberOf } from '../repository/relations.ts';
import type { JobState } from './job.ts';
import type { QueueFigures } from './metrics.ts';
import { ENDED } from './outbox-queries.ts';

/** A job as an administrator sees it. Times are seconds since 1970. */
export interface Job {
  readonly id: number;
  readonly eventId: string;
  readonly action: string;
  readonly nodeId: number;
  readonly mediaId: number | null;
  readonly userId: number;
  readonly state: JobState;
  readonly attempts: number;
  readonly createdAt: number;
  /** The start of the last attempt. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The time of the next attempt; null unless it is queued. */
  readonly dueAt: number | null;
  readonly status: number | null;
  readonly message: string | null;
  readonly stderr: string | null;
  readonly sourceType: string;
  /** The event, its addresses root-relative; null once the job has ended. */
  readonly event: string | null;
}

/** Selects jobs of a list. */
export interface JobFilter {
  readonly state?: JobState | undefined;
  readonly action?: string | undefined;
  readonly nodeId?: number | undefined;
}

const jobs = derivativeJobs;

const JOB = {
  id: jobs.id,
  eventId: jobs.eventId,
  action: jobs.action,
  nodeId: jobs.nodeId,
  mediaId: jobs.mediaId,
  userId: jobs.userId,
  state: sql<JobState>`CASE WHEN ${jobs.state} = 'queued' AND ${jobs.lease} IS NOT NULL THEN 'running' ELSE ${jobs.state} END`,
  attempts: jobs.attempts,
  createdAt: jobs.createdAt,
  startedAt: jobs.startedAt,
  endedAt: jobs.endedAt,
  dueAt: sql<number | null>`iif(${jobs.state} = 'queued' AND ${jobs.lease} IS NULL, ${jobs.availableAt}, NULL)`,
  status: jobs.status,
  message: jobs.message,
  stderr: jobs.stderr,
  sourceType: jobs.sourceType,
  event: jobs.event,
};

/** Returns jobs, the newest first. `limit` and `offset` count jobs. */
export function listJobs(
  database: Database,
  filter: JobFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<Job[]> {
  const listed = query.select(JOB).from(jobs).where(conditionOf(filter)).orderBy(desc(jobs.id));
  return database.all(statementOf(listed.limit(limit).offset(offset)));
}

const jobById = prepare(({ id }: Named<{ id: number }>) => query.select(JOB).from(jobs).where(eq(jobs.id, id)));

/** Returns a job, or undefined. */
export function findJob(database: Database, id: number): Promise<Job | undefined> {
  return database.get(jobById({ id }));
}

const countEnded = prepare(() =>
  query.select({ state: jobs.state, count: count() }).from(jobs).where(isNotNull(jobs.endedAt)).groupBy(jobs.state),
);

/** Returns the number of jobs in each state. */
export async function countJobs(database: Database): Promise<ReadonlyMap<JobState, number>> {
  const [open, ended] = await Promise.all([countOpenJobs(database), database.all(countEnded())]);
  return new Map([...open, ...ended.map((row) => [row.state, row.count] as const)]);
}

const countWith = (condition: SQL) => sql<number>`(${query.select({ count: count() }).from(jobs).where(condition)})`;

const countOpen = prepare(() => {
  const counts = {
    queued: countWith(isText(jobs.state, 'queued')),
    leased: countWith(isNotNull(jobs.lease)),
    waiting: countWith(isText(jobs.state, 'waiting')),
    failed: countWith(isText(jobs.state, 'failed')),
  };
  return plain(sql`SELECT ${sql.join(Object.values(counts), sql`, `)}`, counts);
});

/** Counts jobs that have not ended, from indexes alone: there may be millions of long rows. */
async function countOpenJobs(database: Database): Promise<ReadonlyMap<JobState, number>> {
  const { queued, leased, ...others } = (await database.get(countOpen())) ?? NO_JOBS;
  return new Map([
    ['queued', queued - leased],
    ['running', leased],
    ['waiting', others.waiting],
    ['failed', others.failed],
  ]);
}

const NO_JOBS = { queued: 0, leased: 0, waiting: 0, failed: 0 };

/** All failed jobs, or those of one action. */
interface FailedJobs {
  readonly failedOf: string | undefined;
}

/** Maximum number of jobs that one transaction queues: other requests wait for it. */
const RETRIED_AT_ONCE = 1_000;

const isFailed = ({ failedOf }: FailedJobs) =>
  and(isText(jobs.state, 'failed'), failedOf === undefined ? undefined : eq(jobs.action, failedOf));

/** Queues jobs that have not ended and are not running, to run at once with all their attempts. Returns their number. */
export async function retryJobs(database: Database, which: readonly number[] | FailedJobs): Promise<number> {
  const isMeant = 'failedOf' in which ? isFailed(which) : isAmong(jobs.id, JSON.stringify(which));
  const isOpen = and(isMeant, isNull(jobs.endedAt), isNull(jobs.lease));
  let [count, last] = [0, 0];
  for (;;) {
    const slice = query
      .select({ id: jobs.id })
      .from(jobs)
      .where(and(isOpen, gt(jobs.id, last)))
      .orderBy(asc(jobs.id))
      .limit(RETRIED_AT_ONCE);
    const { retried } = await database.write({
      retried: statementOf(
        query
          .update(jobs)
          .set({ state: 'queued', waitsFor: null, attempts: 0, availableAt: CLOCK })
          .where(inArray(jobs.id, slice))
          .returning({ id: jobs.id }),
      ),
    });
    count += retried.length;
    if (retried.length < RETRIED_AT_ONCE) return count;
    last = retried.reduce((highest, { id }) => Math.max(highest, id), last);
  }
}

/** Cancels jobs that have not ended. A process that runs one notices, and stores nothing. Returns their number. */
export async function cancelJobs(database: Database, ids: readonly number[]): Promise<number> {
  const { cancelled } = await database.write({
    cancelled: statementOf(
      query
        .update(jobs)
        .set({ ...ENDED, state: 'cancelled' })
        .where(and(isAmong(jobs.id, JSON.stringify(ids)), isNull(jobs.endedAt))),
    ),
  });
  return cancelled.changes;
}

const unsettledMember = prepare(({ nodeId }: Named<{ nodeId: number }>) =>
  plain(
    sql`SELECT ${jobs.id} FROM ${references} CROSS JOIN ${jobs}
      ON ${jobs.nodeId} = ${references.sourceId} AND ${jobs.endedAt} IS NULL
      WHERE ${isMemberOf(references, nodeId)} AND ${jobs.state} = 'queued' AND ${jobs.mediaId} IS NOT NULL LIMIT 1`,
    { id: jobs.id },
  ),
);

/**
 * Returns whether a member of a node has queued or running jobs for its own media. Excludes derivatives of its members:
 * two nodes that are members of each other would wait for each other.
 */
export async function hasUnsettledMembers(database: Database, nodeId: number): Promise<boolean> {
  return (await database.get(unsettledMember({ nodeId }))) !== undefined;
}

/** Returns the number of open jobs by state, and the waiting time of the oldest due job. */
export async function readQueueFigures(database: Database): Promise<QueueFigures> {
  const [counts, oldest] = await Promise.all([countOpenJobs(database), database.get(oldestDue())]);
  return { counts, oldestDueSeconds: roundedSeconds(oldest?.seconds) };
}

const next = alias(derivativeJobs, 'next');

/** Reads the first job of each pool, from one pool to the next. A leased job is due when its lease expires. */
const oldestDue = prepare(() =>
  plain(
    sql`WITH RECURSIVE pools (pool) AS (
        SELECT min(${jobs.pool}) FROM ${jobs} WHERE ${jobs.state} = 'queued'
        UNION ALL
        SELECT (SELECT min(${next.pool}) FROM ${jobs} ${next} WHERE ${next.state} = 'queued' AND ${next.pool} > pools.pool)
          FROM pools WHERE pools.pool IS NOT NULL)
      SELECT max(0, ${CLOCK} - min((SELECT min(${jobs.availableAt}) FROM ${jobs}
        WHERE ${jobs.state} = 'queued' AND ${jobs.pool} = pools.pool))) FROM pools`,
    { seconds: sql<number | null>`seconds` },
  ),
);

const idsWith = (condition: SQL | undefined) =>
  inArray(jobs.id, query.select({ id: jobs.id }).from(jobs).where(condition));
const ended = () => idsWith(isNotNull(jobs.endedAt));

/** Returns the condition for a state, in a form that names an index where few of very many are meant. */
const IN_STATE: Readonly<Record<JobState, () => SQL | undefined>> = {
  queued: () => and(isText(jobs.state, 'queued'), isNull(jobs.lease)),
  running: () => idsWith(isNotNull(jobs.lease)),
  waiting: () => idsWith(isText(jobs.state, 'waiting')),
  failed: () => idsWith(isText(jobs.state, 'failed')),
  done: () => and(isText(jobs.state, 'done'), ended()),
  cancelled: () => and(isText(jobs.state, 'cancelled'), ended()),
};

function ofNode(nodeId: number): SQL {
  const ids = (isOpen: SQL) =>
    query
      .select({ id: jobs.id })
      .from(jobs)
      .where(and(eq(jobs.nodeId, nodeId), isOpen));
  return inArray(jobs.id, ids(isNull(jobs.endedAt)).unionAll(ids(isNotNull(jobs.endedAt))));
}

function conditionOf({ state, action, nodeId }: JobFilter): SQL | undefined {
  return and(
    state && IN_STATE[state](),
    action === undefined ? undefined : eq(jobs.action, action),
    nodeId === undefined ? undefined : ofNode(nodeId),
  );
}
