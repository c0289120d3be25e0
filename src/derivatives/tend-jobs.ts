import type { Database } from '../database/database.ts';
import { NOW } from '../database/database-time.ts';
import { DEFAULT_POOL, poolOf, SCAN_MARK } from './pools.ts';
import type { DerivativeRules } from './rules.ts';

/** So many jobs are remembered that have ended, for whoever wants to see what became of them. */
const MAX_ENDED = 10_000;
const MAX_DELETED_AT_ONCE = 5_000;

/** Takes away leases of processes that have ended: `hasEnded` answers that of the owner in a lease, undefined for nobody we can know. */
export async function releaseOrphans(database: Database, hasEnded: (owner: string) => boolean): Promise<number> {
  const { rows } = await database.client.execute(
    "SELECT DISTINCT lease FROM derivative_job WHERE state = 'queued' AND lease IS NOT NULL",
  );
  const orphaned = rows
    .map((row) => String(row[0]))
    .filter((lease) => hasEnded(lease.slice(0, lease.lastIndexOf('/'))));
  if (orphaned.length === 0) return 0;
  const [result] = await database.write([
    {
      sql: `UPDATE derivative_job SET lease = NULL, available_at = ${NOW}
        WHERE state = 'queued' AND lease IN (SELECT value FROM json_each(?))`,
      args: [JSON.stringify(orphaned)],
    },
  ]);
  return result?.rowsAffected ?? 0;
}

/** Puts jobs where the rules say by now that they are done; those of actions that are gone are ended by whoever takes them. */
export async function followRules(database: Database, { actions }: DerivativeRules): Promise<void> {
  const args = [...actions.values()].flatMap((action) => [action.name, poolOf(action)]);
  const cases = Array.from(actions, (_, at) => `WHEN ?${2 * at + 1} THEN ?${2 * at + 2}`).join(' ');
  const pool = cases === '' ? `'${DEFAULT_POOL}'` : `CASE action ${cases} ELSE '${DEFAULT_POOL}' END`;
  // The rows in their own order: there may be a million, and an index would lead to each of them apart.
  const isElsewhere = `+ended_at IS NULL AND replace(pool, '${SCAN_MARK}', '') IS NOT ${pool}`;
  const mark = `iif(instr(pool, '${SCAN_MARK}') > 0, '${SCAN_MARK}', '')`;
  // Hardly ever there is one, and whoever only looks keeps nobody else from writing.
  const found = await database.first(`SELECT 1 FROM derivative_job WHERE ${isElsewhere} LIMIT 1`, args);
  if (found === undefined) return;
  await database.write([{ sql: `UPDATE derivative_job SET pool = ${pool} || ${mark} WHERE ${isElsewhere}`, args }]);
}

/** Queues what has waited for programs that are there now. Answers how many jobs. */
export async function resumeWaiting(database: Database, isThere: (program: string) => boolean): Promise<number> {
  const { rows } = await database.client.execute(
    "SELECT DISTINCT waits_for FROM derivative_job WHERE state = 'waiting'",
  );
  const resumed = rows
    .map((row) => String(row[0]))
    .filter((programs) => (JSON.parse(programs) as string[]).every(isThere));
  return resume(database, 'waits_for IN (SELECT value FROM json_each(?))', resumed);
}

/** What jobs in state waiting have in common. */
export interface WaitingJobs {
  readonly action: string;
  readonly pool: string;
  /** MIME type of the source. */
  readonly sourceType: string;
}

/**
 * Queues what need not wait any longer, whichever programs it waits for: another processor, or another command, makes it
 * by now. Reads every job that waits. Answers how many jobs.
 */
export async function resumeMakeable(
  database: Database,
  canBeMade: (waiting: WaitingJobs) => boolean,
): Promise<number> {
  const { rows } = await database.client.execute(
    "SELECT DISTINCT action, pool, source_type FROM derivative_job WHERE state = 'waiting'",
  );
  const resumed = rows
    .map((row) => row as unknown as [action: string, pool: string, sourceType: string])
    .filter(([action, pool, sourceType]) => canBeMade({ action, pool, sourceType }));
  const isMeant = `EXISTS (SELECT 1 FROM json_each(?) j
    WHERE j.value ->> 0 = action AND j.value ->> 1 = pool AND j.value ->> 2 = source_type)`;
  return resume(database, isMeant, resumed);
}

/** Queues those of the waiting jobs that `isMeant` is true of; its parameter is `list` as JSON. */
async function resume(database: Database, isMeant: string, list: readonly unknown[]): Promise<number> {
  if (list.length === 0) return 0;
  const [result] = await database.write([
    {
      sql: `UPDATE derivative_job SET state = 'queued', waits_for = NULL, message = NULL, available_at = ${NOW}
        WHERE state = 'waiting' AND ${isMeant}`,
      args: [JSON.stringify(list)],
    },
  ]);
  return result?.rowsAffected ?? 0;
}

/** Forgets the jobs that ended first, where more have ended than are remembered. */
export async function forgetEnded(database: Database): Promise<void> {
  const oldest = await database.first(
    'SELECT ended_at FROM derivative_job WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT 1 OFFSET ?',
    [MAX_ENDED],
  );
  if (oldest === undefined) return;
  for (let deleted = MAX_DELETED_AT_ONCE; deleted === MAX_DELETED_AT_ONCE; ) {
    const [result] = await database.write([
      {
        sql: `DELETE FROM derivative_job WHERE id IN (
          SELECT id FROM derivative_job WHERE ended_at <= ? ORDER BY ended_at LIMIT ${MAX_DELETED_AT_ONCE})`,
        args: [oldest[0] as number],
      },
    ]);
    deleted = result?.rowsAffected ?? 0;
  }
}
