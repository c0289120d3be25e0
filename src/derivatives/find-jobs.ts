import type { InValue, Row } from '@libsql/client';
import type { Database } from '../database/database.ts';
import { NOW, roundedSeconds } from '../database/database-time.ts';
import type { JobState } from './job.ts';
import type { QueueFigures } from './metrics.ts';

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
  /** When it was last begun. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** When it is tried again; null unless it is queued. */
  readonly dueAt: number | null;
  readonly status: number | null;
  readonly message: string | null;
  readonly stderr: string | null;
  readonly sourceType: string;
  /** The event, its addresses root-relative; null once the job has ended. */
  readonly event: string | null;
}

/** Which jobs of a list. */
export interface JobFilter {
  readonly state?: JobState | undefined;
  readonly action?: string | undefined;
  readonly nodeId?: number | undefined;
}

const STATE = "CASE WHEN state = 'queued' AND lease IS NOT NULL THEN 'running' ELSE state END";
const COLUMNS = `id, event_id, action, node_id, media_id, user_id, ${STATE}, attempts, created_at, started_at, ended_at,
  iif(state = 'queued' AND lease IS NULL, available_at, NULL), status, message, stderr, source_type, event`;

/** The newest jobs first. `limit` and `offset` count jobs. */
export async function listJobs(
  database: Database,
  filter: JobFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<Job[]> {
  const { where, args } = conditions(filter);
  const { rows } = await database.client.execute({
    sql: `SELECT ${COLUMNS} FROM derivative_job ${where} ORDER BY id DESC LIMIT ? OFFSET ?`,
    args: [...args, limit, offset],
  });
  return rows.map(toJob);
}

/** One job, or undefined. */
export async function findJob(database: Database, id: number): Promise<Job | undefined> {
  const row = await database.first(`SELECT ${COLUMNS} FROM derivative_job WHERE id = ?`, [id]);
  return row && toJob(row);
}

/** How many jobs there are in each state. */
export async function countJobs(database: Database): Promise<ReadonlyMap<JobState, number>> {
  const [open, { rows }] = await Promise.all([
    countOpenJobs(database),
    database.client.execute('SELECT state, count(*) FROM derivative_job WHERE ended_at IS NOT NULL GROUP BY state'),
  ]);
  return new Map([...open, ...rows.map((row) => [String(row[0]) as JobState, Number(row[1])] as const)]);
}

/** The same of those that have not ended: from indexes alone, for there may be millions and each row is long. */
async function countOpenJobs(database: Database): Promise<ReadonlyMap<JobState, number>> {
  const count = (condition: string) => `(SELECT count(*) FROM derivative_job WHERE ${condition})`;
  const row = await database.first(
    `SELECT ${count("state = 'queued'")}, ${count('lease IS NOT NULL')}, ${count("state = 'waiting'")},
      ${count("state = 'failed'")}`,
    [],
  );
  const [queued = 0, running = 0, waiting = 0, failed = 0] = [0, 1, 2, 3].map((at) => Number(row?.[at]));
  return new Map([
    ['queued', queued - running],
    ['running', running],
    ['waiting', waiting],
    ['failed', failed],
  ]);
}

/** Has jobs that have not ended and that nobody works on tried at once, with all attempts before them. Answers how many. */
export async function retryJobs(database: Database, ids: readonly number[] | 'all failed'): Promise<number> {
  const isMeant = ids === 'all failed' ? "state = 'failed'" : 'id IN (SELECT value FROM json_each(?))';
  const [result] = await database.write([
    {
      sql: `UPDATE derivative_job SET state = 'queued', waits_for = NULL, attempts = 0, available_at = ${NOW}
        WHERE ${isMeant} AND ended_at IS NULL AND lease IS NULL`,
      args: ids === 'all failed' ? [] : [JSON.stringify(ids)],
    },
  ]);
  return result?.rowsAffected ?? 0;
}

/** Ends jobs that have not ended yet. Who works on one finds that out, and stores nothing. Answers how many. */
export async function cancelJobs(database: Database, ids: readonly number[]): Promise<number> {
  const [result] = await database.write([
    {
      sql: `UPDATE derivative_job SET state = 'cancelled', ended_at = ${NOW}, lease = NULL, event = NULL
        WHERE id IN (SELECT value FROM json_each(?)) AND ended_at IS NULL`,
      args: [JSON.stringify(ids)],
    },
  ]);
  return result?.rowsAffected ?? 0;
}

/**
 * Whether a member of a node has work left that can be done: what failed, or waits for programs, is not waited for.
 * Neither is what is made of members of members: of two that are members of each other each would wait for the other.
 */
export async function hasUnsettledMembers(database: Database, nodeId: number): Promise<boolean> {
  const row = await database.first(
    `SELECT 1 FROM reference r CROSS JOIN derivative_job d ON d.node_id = r.source_id AND d.ended_at IS NULL
      WHERE r.target_type = 'node' AND r.target_id = ? AND r.source_type = 'node' AND r.field = 'field_member_of'
        AND d.state = 'queued' AND d.media_id IS NOT NULL LIMIT 1`,
    [nodeId],
  );
  return row !== undefined;
}

/** How much there is to do, and for how long it has been. */
export async function readQueueFigures(database: Database): Promise<QueueFigures> {
  const [counts, oldest] = await Promise.all([countOpenJobs(database), database.first(OLDEST_DUE, [])]);
  return { counts, oldestDueSeconds: roundedSeconds(oldest?.[0]) };
}

/** The first of each pool, from one pool to the next. What someone has is due when their lease runs out. */
const OLDEST_DUE = `WITH RECURSIVE pools (pool) AS (
    SELECT min(pool) FROM derivative_job WHERE state = 'queued'
    UNION ALL
    SELECT (SELECT min(pool) FROM derivative_job WHERE state = 'queued' AND pool > pools.pool) FROM pools
      WHERE pools.pool IS NOT NULL)
  SELECT max(0, ${NOW} - min((SELECT min(available_at) FROM derivative_job
    WHERE state = 'queued' AND pool = pools.pool))) FROM pools`;

const ENDED = 'id IN (SELECT id FROM derivative_job WHERE ended_at IS NOT NULL)';

/** In words that name an index where few of very many are meant. */
const IN_STATE: Readonly<Record<JobState, string>> = {
  queued: "state = 'queued' AND lease IS NULL",
  running: 'id IN (SELECT id FROM derivative_job WHERE lease IS NOT NULL)',
  waiting: "id IN (SELECT id FROM derivative_job WHERE state = 'waiting')",
  failed: "id IN (SELECT id FROM derivative_job WHERE state = 'failed')",
  done: `state = 'done' AND ${ENDED}`,
  cancelled: `state = 'cancelled' AND ${ENDED}`,
};
const OF_NODE = `id IN (SELECT id FROM derivative_job WHERE node_id = ? AND ended_at IS NULL
  UNION ALL SELECT id FROM derivative_job WHERE node_id = ? AND ended_at IS NOT NULL)`;

function conditions({ state, action, nodeId }: JobFilter): { where: string; args: InValue[] } {
  const terms: string[] = [];
  const args: InValue[] = [];
  if (state !== undefined) terms.push(IN_STATE[state]);
  if (action !== undefined) {
    terms.push('action = ?');
    args.push(action);
  }
  if (nodeId !== undefined) {
    terms.push(OF_NODE);
    args.push(nodeId, nodeId);
  }
  return { where: terms.length === 0 ? '' : `WHERE ${terms.join(' AND ')}`, args };
}

function toJob(row: Row): Job {
  const number = (at: number) => (row[at] === null ? null : Number(row[at]));
  const text = (at: number) => (row[at] === null ? null : String(row[at]));
  return {
    id: Number(row[0]),
    eventId: String(row[1]),
    action: String(row[2]),
    nodeId: Number(row[3]),
    mediaId: number(4),
    userId: Number(row[5]),
    state: String(row[6]) as JobState,
    attempts: Number(row[7]),
    createdAt: Number(row[8]),
    startedAt: number(9),
    endedAt: number(10),
    dueAt: number(11),
    status: number(12),
    message: text(13),
    stderr: text(14),
    sourceType: String(row[15]),
    event: text(16),
  };
}
