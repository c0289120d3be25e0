import { sql } from 'drizzle-orm';
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import type { Database } from '../database/database.ts';
import { CLOCK, roundedSeconds } from '../database/database-time.ts';
import { query } from '../database/query-builder.ts';
import { derivativeJobs } from '../database/schema/derivatives.ts';
import { requireOne } from '../database/sql.ts';
import { type Statement, statementOf } from '../database/statement.ts';
import type { ClaimedJob } from './job.ts';
import {
  claimDue,
  duePools,
  ENDED,
  finishJob,
  isHeld,
  MAX_CLOCK_ERROR_S,
  releaseChanged,
  releaseListed,
  renewListed,
  repairFuture,
} from './outbox-queries.ts';

/** The longest delay of a job. A job that is due later was written while the clock was wrong. */
const MAX_FUTURE_S = 2 * 3_600;

/** The result of a failed attempt. */
export interface Outcome {
  readonly status: number | undefined;
  readonly message: string;
  readonly stderr: string | undefined;
}

/**
 * The queue for dispatchers: every statement is short, and safe with any number of processes. The functions that settle a
 * job return false if another process has it or its source has changed: they only release it then.
 */
export interface Outbox {
  /**
   * Claims at most `limit` due jobs of a pool, the longest due first. Excludes `inHand`, the jobs of this process, whose
   * leases may have expired while the machine slept.
   */
  claim(pool: string, limit: number, inHand: readonly number[]): Promise<ClaimedJob[]>;
  /** Returns the pools with due jobs other than `inHand`, in one query. */
  findDue(pools: readonly string[], inHand: readonly number[]): Promise<ReadonlySet<string>>;
  /** Renews leases. Returns the jobs whose lease is lost: another process has them, or they were deleted. */
  renew(jobs: readonly ClaimedJob[]): Promise<ClaimedJob[]>;
  /**
   * Returns the statements that end a job in the transaction that stores its result. They make it fail if the lease is lost,
   * the source has changed, or the user of the job was blocked.
   */
  finish(job: ClaimedJob): Statement[];
  /** Ends a job that has nothing to do. */
  drop(job: ClaimedJob, message: string): Promise<boolean>;
  /** Releases a job for some time. `counts` is true if that was an attempt. */
  postpone(job: ClaimedJob, delaySeconds: number, outcome: Outcome, counts: boolean): Promise<boolean>;
  /** Marks a job as failed until an administrator retries it. */
  fail(job: ClaimedJob, outcome: Outcome): Promise<boolean>;
  /** Suspends a job until the programs that it needs are installed. */
  await(job: ClaimedJob, programs: readonly string[]): Promise<boolean>;
  /** Releases jobs that have not started. */
  release(jobs: readonly ClaimedJob[]): Promise<void>;
}

/**
 * Creates the outbox of a database. `owner` identifies this process in leases. `settleSecondsOf` returns how long the jobs
 * of an action wait after a change, including a change while they run.
 */
export function createOutbox(
  database: Database,
  owner: string,
  { leaseSeconds }: Pace,
  settleSecondsOf: (action: string) => number = () => 0,
): Outbox {
  let claims = 0;

  /** Changes a job of ours at the known version. A job that has changed since is released, to be done again. */
  const settle = async (job: ClaimedJob, values: SQLiteUpdateSetSource<typeof derivativeJobs>) => {
    const { id, lease, action } = job;
    const { settled } = await database.write({
      settled: statementOf(
        query
          .update(derivativeJobs)
          .set({ ...values, lease: null })
          .where(isHeld(job)),
      ),
      released: releaseChanged({ id, lease, delay: settleSecondsOf(action) }),
    });
    return settled.changes === 1;
  };
  const oneMore = sql`${derivativeJobs.attempts} + 1`;

  return {
    async claim(pool, limit, inHand) {
      claims += 1;
      const lease = `${owner}/${claims}`;
      const { claimed } = await database.write({
        claimed: claimDue({ pool, inHand: JSON.stringify(inHand), limit, lease, leaseSeconds }),
      });
      return claimed.map((row) => ({
        ...row,
        event: String(row.event),
        chain: JSON.parse(row.chain) as string[],
        lease,
        waitedSeconds: roundedSeconds(row.waitedSeconds),
      }));
    },
    async findDue(pools, inHand) {
      const due = await database.all(duePools({ pools: JSON.stringify(pools), inHand: JSON.stringify(inHand) }));
      return new Set(due.map(({ pool }) => pool));
    },
    async renew(renewed) {
      if (renewed.length === 0) return [];
      const list = JSON.stringify(renewed.map(({ id, lease, version }) => [id, lease, version]));
      const { kept } = await database.write({ kept: renewListed({ list, leaseSeconds }) });
      const ids = new Set(kept.map(({ id }) => id));
      return renewed.filter(({ id }) => !ids.has(id));
    },
    finish: ({ id, lease, version }) => [finishJob({ id, lease, version }), requireOne('lost')],
    drop: (job, message) => settle(job, { ...ENDED, state: 'cancelled', message }),
    postpone: (job, delaySeconds, outcome, counts) =>
      settle(job, {
        ...columnsOf(outcome),
        availableAt: sql`${CLOCK} + ${delaySeconds}`,
        ...(counts && { attempts: oneMore }),
      }),
    fail: (job, outcome) => settle(job, { ...columnsOf(outcome), state: 'failed', attempts: oneMore }),
    await(job, programs) {
      const message = `This waits for ${programs.join(' and ')} to be installed.`;
      return settle(job, { state: 'waiting', waitsFor: JSON.stringify(programs), message });
    },
    async release(released) {
      if (released.length === 0) return;
      const list = JSON.stringify(
        released.map(({ id, lease, version, action }) => [id, lease, version, settleSecondsOf(action)]),
      );
      await database.write({ released: releaseListed({ list }) });
    },
  };
}

/**
 * Makes jobs due that a wrong clock has put into the future: those later than any delay, and those created or started in
 * the future. Excludes `inHand`, the jobs of this process, whose leases are renewed. `longestSettleSeconds` is the maximum
 * wait after a change.
 */
export async function repairTimes(
  database: Database,
  pools: readonly string[],
  inHand: readonly number[],
  { leaseSeconds }: Pace,
  longestSettleSeconds: number,
): Promise<void> {
  const maxFutureSeconds = Math.max(MAX_FUTURE_S, longestSettleSeconds + MAX_CLOCK_ERROR_S);
  await database.write({
    repaired: repairFuture({
      pools: JSON.stringify(pools),
      inHand: JSON.stringify(inHand),
      maxFutureSeconds,
      leaseSeconds,
    }),
  });
}

function columnsOf({ status, message, stderr }: Outcome) {
  return { status: status ?? null, message, stderr: stderr ?? null };
}

/** The intervals that determine how soon a failed process is detected. */
export interface Pace {
  /** The duration of a lease after its last renewal. */
  readonly leaseSeconds: number;
  /** The interval of the queue's maintenance. */
  readonly upkeepSeconds: number;
}

/** The default for all processes that share a database. */
export const DEFAULT_PACE: Pace = { leaseSeconds: 30, upkeepSeconds: 60 };
