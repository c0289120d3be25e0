import { and, eq, exists, inArray, lte, not, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { CLOCK } from '../database/database-time.ts';
import { query } from '../database/query-builder.ts';
import { derivativeJobs } from '../database/schema/derivatives.ts';
import { users } from '../database/schema/users.ts';
import { isAmong, isText } from '../database/sql.ts';
import { type Named, plain, prepare } from '../database/statement.ts';

/** The tolerated error of a clock: a delay of this length is harmless. */
export const MAX_CLOCK_ERROR_S = 5;

const jobs = derivativeJobs;

/** Values of every ended job. */
export const ENDED = { endedAt: CLOCK, lease: null, event: null };

const CLAIMED = {
  id: jobs.id,
  eventId: jobs.eventId,
  action: jobs.action,
  nodeId: jobs.nodeId,
  mediaId: jobs.mediaId,
  userId: jobs.userId,
  sourceType: jobs.sourceType,
  event: jobs.event,
  chain: jobs.chain,
  version: jobs.version,
  attempts: jobs.attempts,
  lease: jobs.lease,
  waitedSeconds: sql<number>`max(0, ${CLOCK} - ${jobs.createdAt})`,
};

type Claim = { pool: string; inHand: string; limit: number; lease: string; leaseSeconds: number };

export const claimDue = prepare(({ pool, inHand, limit, lease, leaseSeconds }: Named<Claim>) => {
  const due = query
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        eq(jobs.pool, pool),
        isText(jobs.state, 'queued'),
        lte(jobs.availableAt, CLOCK),
        not(isAmong(jobs.id, inHand)),
      ),
    )
    .orderBy(jobs.availableAt)
    .limit(limit);
  return query
    .update(jobs)
    .set({ lease, startedAt: CLOCK, availableAt: sql`${CLOCK} + ${leaseSeconds}` })
    .where(inArray(jobs.id, due))
    .returning(CLAIMED);
});

export const duePools = prepare(({ pools, inHand }: Named<{ pools: string; inHand: string }>) =>
  plain(
    sql`SELECT asked.value FROM json_each(${pools}) asked WHERE EXISTS (
      SELECT 1 FROM ${jobs} WHERE ${jobs.pool} = asked.value AND ${jobs.state} = 'queued'
        AND ${jobs.availableAt} <= ${CLOCK} AND NOT ${isAmong(jobs.id, inHand)})`,
    { pool: sql<string>`pool` },
  ),
);

const LISTED = sql`json_each(${sql.placeholder('list')}) item`;
const listed = (index: number) => sql`item.value ->> ${sql.raw(String(index))}`;
const isListed = and(sql`${jobs.id} = ${listed(0)}`, sql`${jobs.lease} = ${listed(1)}`);

/** `list` holds id, lease and version of each job. */
export const renewListed = prepare(({ leaseSeconds }: Named<{ list: string; leaseSeconds: number }>) =>
  query
    .update(jobs)
    .set({ availableAt: sql`${CLOCK} + ${leaseSeconds}` })
    .from(LISTED)
    .where(and(isListed, sql`${jobs.version} = ${listed(2)}`))
    .returning({ id: jobs.id }),
);

/** `list` holds id, lease, version and delay of each job. */
export const releaseListed = prepare((_: Named<{ list: string }>) =>
  query
    .update(jobs)
    .set({ lease: null, availableAt: sql`${CLOCK} + iif(${jobs.version} = ${listed(2)}, 0, ${listed(3)})` })
    .from(LISTED)
    .where(isListed),
);

type JobLease = { readonly id: number; readonly lease: string; readonly version: number };
export const isHeld = ({ id, lease, version }: Named<JobLease> | JobLease) =>
  and(eq(jobs.id, id), eq(jobs.lease, lease), eq(jobs.version, version));

export const finishJob = prepare((job: Named<JobLease>) =>
  query
    .update(jobs)
    .set({ ...ENDED, state: 'done', status: null, message: null, stderr: null, attempts: sql`${jobs.attempts} + 1` })
    .where(
      and(
        isHeld(job),
        exists(
          query
            .select({ id: users.id })
            .from(users)
            .where(and(eq(users.id, jobs.userId), eq(users.status, true))),
        ),
      ),
    ),
);

export const releaseChanged = prepare(({ id, lease, delay }: Named<{ id: number; lease: string; delay: number }>) =>
  query
    .update(jobs)
    .set({ lease: null, availableAt: sql`${CLOCK} + ${delay}` })
    .where(and(eq(jobs.id, id), eq(jobs.lease, lease))),
);

type Repair = { pools: string; inHand: string; maxFutureSeconds: number; leaseSeconds: number };

export const repairFuture = prepare(({ pools, inHand, maxFutureSeconds, leaseSeconds }: Named<Repair>) => {
  const job = alias(jobs, 'future');
  const error = sql.raw(String(MAX_CLOCK_ERROR_S));
  const future = sql`SELECT ${job.id} FROM json_each(${pools}) pool
    JOIN ${jobs} ${job} ON ${job.pool} = pool.value AND ${job.state} = 'queued'
      AND ${job.availableAt} > ${CLOCK} AND CASE WHEN ${job.lease} IS NULL
        THEN max(${job.availableAt} - ${maxFutureSeconds}, ${job.createdAt} - ${error},
          coalesce(${job.startedAt}, 0) - ${error})
        ELSE ${job.availableAt} - 2 * ${leaseSeconds} END > ${CLOCK} AND NOT ${isAmong(job.id, inHand)}`;
  return query
    .update(jobs)
    .set({
      availableAt: CLOCK,
      lease: null,
      createdAt: sql`min(${jobs.createdAt}, ${CLOCK})`,
      startedAt: sql`min(${jobs.startedAt}, ${CLOCK})`,
    })
    .where(sql`${jobs.id} IN (${future})`);
});
