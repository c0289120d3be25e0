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
  finishOurs,
  isOurs,
  letGo,
  MAX_CLOCK_ERROR_S,
  releaseListed,
  renewListed,
  repairFuture,
} from './outbox-queries.ts';
import type { Pace } from './pace.ts';

/** No other delay is longer: what is available later than this was put there by a clock that has been set back since. */
const MAX_FUTURE_S = 2 * 3_600;

/** Why and how an attempt came to nothing. */
export interface Outcome {
  readonly status: number | undefined;
  readonly message: string;
  readonly stderr: string | undefined;
}

/**
 * The jobs as dispatchers see them: every statement is short, and safe with any number of processes. What settles a job
 * answers whether it still was ours, of a source that has not changed: if not, it is only let go of.
 */
export interface Outbox {
  /**
   * Takes at most `limit` jobs of a pool that are due, those first that have been so for longest. None of `inHand`: the
   * leases of what this process works on run out where the machine has slept.
   */
  claim(pool: string, limit: number, inHand: readonly number[]): Promise<ClaimedJob[]>;
  /** Those of the pools of which something is due that is not in hand: one question, however many pools there are. */
  findDue(pools: readonly string[], inHand: readonly number[]): Promise<ReadonlySet<string>>;
  /** Keeps jobs ours, and answers those that no longer are: someone else has them, or they are gone. */
  renew(jobs: readonly ClaimedJob[]): Promise<ClaimedJob[]>;
  /**
   * What ends a job in the transaction that stores its result, and fails it if the job is no longer ours, its source has
   * changed, or the user for whom it is done was blocked.
   */
  finish(job: ClaimedJob): Statement[];
  /** Ends a job for which there is nothing left to do. */
  drop(job: ClaimedJob, message: string): Promise<boolean>;
  /** Lets go of a job for some time. `counts`: whether that was an attempt. */
  postpone(job: ClaimedJob, delaySeconds: number, outcome: Outcome, counts: boolean): Promise<boolean>;
  /** Gives a job up until an administrator wants it tried again. */
  fail(job: ClaimedJob, outcome: Outcome): Promise<boolean>;
  /** Sets a job aside until there are the programs that it needs. */
  await(job: ClaimedJob, programs: readonly string[]): Promise<boolean>;
  /** Lets jobs go that were not begun. */
  release(jobs: readonly ClaimedJob[]): Promise<void>;
}

/**
 * The outbox of a database. `owner` is this process, as leases name it. `settleSecondsOf` says of an action how long
 * its jobs wait after a change, also after one that came while they were in somebody's hands.
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
          .where(isOurs(job)),
      ),
      released: letGo({ id, lease, delay: settleSecondsOf(action) }),
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
    finish: ({ id, lease, version }) => [finishOurs({ id, lease, version }), requireOne('lost')],
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
 * Brings back what a clock that was set back since has put into the future: what is later than any delay, and what has
 * a past that is still to come. `longestSettleSeconds`: how long a job may have to wait after a change. To be run after
 * leases were renewed.
 */
export async function repairTimes(
  database: Database,
  pools: readonly string[],
  { leaseSeconds }: Pace,
  longestSettleSeconds: number,
): Promise<void> {
  const maxFutureSeconds = Math.max(MAX_FUTURE_S, longestSettleSeconds + MAX_CLOCK_ERROR_S);
  await database.write({
    repaired: repairFuture({ pools: JSON.stringify(pools), maxFutureSeconds, leaseSeconds }),
  });
}

function columnsOf({ status, message, stderr }: Outcome) {
  return { status: status ?? null, message, stderr: stderr ?? null };
}
