import type { InStatement, Row } from '@libsql/client';
import type { Database } from '../database/database.ts';
import { NOW, roundedSeconds } from '../database/database-time.ts';
import type { ClaimedJob } from './job.ts';
import type { Pace } from './pace.ts';

/** No other delay is longer: what is available later than this was put there by a clock that has been set back since. */
const MAX_FUTURE_S = 2 * 3_600;
/** By so little clocks are set back all the time, and nobody waits long for that. */
const MAX_CLOCK_ERROR_S = 5;

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
  finish(job: ClaimedJob): InStatement[];
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

const COLUMNS = `id, event_id, action, node_id, media_id, user_id, source_type, event, chain, version, attempts, lease,
  max(0, ${NOW} - created_at)`;

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

  /** One of ours, at the version that we know: what has changed since is let go of, to be done anew. */
  const settle = async (job: ClaimedJob, assignments: string, args: (string | number | null)[]) => {
    const { id, lease, version } = job;
    const [result] = await database.write([
      {
        sql: `UPDATE derivative_job SET ${assignments}, lease = NULL WHERE id = ? AND lease = ? AND version = ?`,
        args: [...args, id, lease, version],
      },
      {
        sql: `UPDATE derivative_job SET lease = NULL, available_at = ${NOW} + ? WHERE id = ? AND lease = ?`,
        args: [settleSecondsOf(job.action), id, lease],
      },
    ]);
    return result?.rowsAffected === 1;
  };

  return {
    async claim(pool, limit, inHand) {
      claims += 1;
      const [result] = await database.write([
        {
          sql: `UPDATE derivative_job SET lease = ?, started_at = ${NOW}, available_at = ${NOW} + ${leaseSeconds}
            WHERE id IN (SELECT id FROM derivative_job WHERE pool = ? AND state = 'queued' AND available_at <= ${NOW}
              AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY available_at LIMIT ?) RETURNING ${COLUMNS}`,
          args: [`${owner}/${claims}`, pool, JSON.stringify(inHand), limit],
        },
      ]);
      return (result?.rows ?? []).map(toJob);
    },
    async findDue(pools, inHand) {
      const row = await database.first(
        `SELECT json_group_array(p.value) FROM json_each(?) p WHERE EXISTS (
          SELECT 1 FROM derivative_job WHERE pool = p.value AND state = 'queued' AND available_at <= ${NOW}
            AND id NOT IN (SELECT value FROM json_each(?)))`,
        [JSON.stringify(pools), JSON.stringify(inHand)],
      );
      return new Set(JSON.parse(String(row?.[0] ?? '[]')) as string[]);
    },
    async renew(jobs) {
      if (jobs.length === 0) return [];
      const [result] = await database.write([
        {
          sql: `UPDATE derivative_job SET available_at = ${NOW} + ${leaseSeconds} FROM json_each(?) j
            WHERE derivative_job.id = j.value ->> 0 AND lease = j.value ->> 1 AND version = j.value ->> 2
            RETURNING derivative_job.id`,
          args: [JSON.stringify(jobs.map(({ id, lease, version }) => [id, lease, version]))],
        },
      ]);
      const kept = new Set(result?.rows.map((row) => Number(row[0])));
      return jobs.filter(({ id }) => !kept.has(id));
    },
    finish: ({ id, lease, version }) => [
      {
        sql: `UPDATE derivative_job SET state = 'done', ended_at = ${NOW}, lease = NULL, event = NULL, status = NULL,
            message = NULL, stderr = NULL, attempts = attempts + 1
          WHERE id = ? AND lease = ? AND version = ?
            AND EXISTS (SELECT 1 FROM user WHERE user.id = user_id AND user.status = 1)`,
        args: [id, lease, version],
      },
      { sql: 'INSERT INTO guard (lost) SELECT 1 WHERE changes() <> 1', args: [] },
    ],
    drop: (job, message) => settle(job, `state = 'cancelled', ended_at = ${NOW}, event = NULL, message = ?`, [message]),
    postpone(job, delaySeconds, outcome, counts) {
      const assignments = `available_at = ${NOW} + ?, attempts = attempts + ?, status = ?, message = ?, stderr = ?`;
      return settle(job, assignments, [delaySeconds, counts ? 1 : 0, ...columnsOf(outcome)]);
    },
    fail(job, outcome) {
      const assignments = "state = 'failed', attempts = attempts + 1, status = ?, message = ?, stderr = ?";
      return settle(job, assignments, columnsOf(outcome));
    },
    await(job, programs) {
      const message = `This waits for ${programs.join(' and ')} to be installed.`;
      return settle(job, "state = 'waiting', waits_for = ?, message = ?", [JSON.stringify(programs), message]);
    },
    async release(jobs) {
      if (jobs.length === 0) return;
      await database.write([
        {
          sql: `UPDATE derivative_job SET lease = NULL,
              available_at = ${NOW} + iif(version = j.value ->> 2, 0, j.value ->> 3) FROM json_each(?) j
            WHERE derivative_job.id = j.value ->> 0 AND lease = j.value ->> 1`,
          args: [
            JSON.stringify(jobs.map(({ id, lease, version, action }) => [id, lease, version, settleSecondsOf(action)])),
          ],
        },
      ]);
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
  await database.write([
    {
      sql: `UPDATE derivative_job SET available_at = ${NOW}, lease = NULL, created_at = min(created_at, ${NOW}),
          started_at = min(started_at, ${NOW})
        WHERE id IN (SELECT d.id FROM json_each(?1) p JOIN derivative_job d ON d.pool = p.value AND d.state = 'queued'
          AND d.available_at > ${NOW} AND CASE WHEN d.lease IS NULL
            THEN max(d.available_at - ?2, d.created_at - ${MAX_CLOCK_ERROR_S},
              coalesce(d.started_at, 0) - ${MAX_CLOCK_ERROR_S})
            ELSE d.available_at - 2 * ${leaseSeconds} END > ${NOW})`,
      args: [JSON.stringify(pools), Math.max(MAX_FUTURE_S, longestSettleSeconds + MAX_CLOCK_ERROR_S)],
    },
  ]);
}

function columnsOf({ status, message, stderr }: Outcome): (string | number | null)[] {
  return [status ?? null, message, stderr ?? null];
}

function toJob(row: Row): ClaimedJob {
  return {
    id: Number(row[0]),
    eventId: String(row[1]),
    action: String(row[2]),
    nodeId: Number(row[3]),
    mediaId: row[4] === null ? null : Number(row[4]),
    userId: Number(row[5]),
    sourceType: String(row[6]),
    event: String(row[7]),
    chain: JSON.parse(String(row[8])) as string[],
    version: Number(row[9]),
    attempts: Number(row[10]),
    lease: String(row[11]),
    waitedSeconds: roundedSeconds(row[12]),
  };
}
