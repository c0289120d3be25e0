import type { InStatement } from '@libsql/client';
import { NOW } from '../database/database-time.ts';
import type { NewJob } from './job.ts';
import { scanPool } from './pools.ts';

/** What a newer event changes about a job that nobody has ended. Who has it at the moment keeps it, and finds out at the end. */
const RENEW = `event_id = excluded.event_id, pool = excluded.pool, media_id = excluded.media_id,
  user_id = excluded.user_id, source_type = excluded.source_type, event = excluded.event, chain = excluded.chain,
  version = version + 1, state = 'queued', waits_for = NULL, attempts = 0, status = NULL, message = NULL, stderr = NULL,
  available_at = CASE WHEN lease IS NULL THEN excluded.available_at ELSE available_at END`;

const COLUMNS = `event_id, action, pool, node_id, user_id, source_type, event, chain, term, delay`;
const ROW = `(${COLUMNS.replaceAll(/\w+/g, '?')})`;
const INTO = `INSERT INTO derivative_job (event_id, action, pool, node_id, user_id, source_type, event, chain,
    media_id, version, state, attempts, available_at, created_at)
  SELECT j.event_id, j.action, j.pool, j.node_id, j.user_id, j.source_type, j.event, j.chain,
    iif(j.term IS NULL, NULL, m.id), 1, 'queued', 0, ${NOW} + j.delay, ${NOW}
  FROM j CROSS JOIN media m`;
const IF_OPEN = 'ON CONFLICT (node_id, action) WHERE ended_at IS NULL DO';
const INSERT_MISSING = `WITH j (${COLUMNS}) AS (VALUES ${ROW}) ${INTO} WHERE m.id = ? AND m.version = ? ${IF_OPEN} NOTHING`;

/** By number of rows: as many as occur. */
const insertsOrRenewals = new Map<number, string>();

/** So many rows at once, which is one statement for each number that occurs. */
function insertOrRenew(rows: number): string {
  const known = insertsOrRenewals.get(rows);
  if (known !== undefined) return known;
  const sql = `WITH j (${COLUMNS}) AS (VALUES ${Array.from({ length: rows }, () => ROW).join(', ')}) ${INTO}
    WHERE m.uuid = ? AND (j.term IS NULL OR NOT ${hasPredecessor('j.node_id', 'j.term', 'm.id')})
    ${IF_OPEN} UPDATE SET ${RENEW}`;
  insertsOrRenewals.set(rows, sql);
  return sql;
}

/**
 * In SQL, whether a media is not the first of a node with a use: then it is no source. The arguments are expressions
 * for ids. CROSS and `+` keep to the order that is good however many media there are: from the few of the node.
 */
export function hasPredecessor(node: string, term: string, media: string): string {
  return `EXISTS (
    SELECT 1 FROM reference a CROSS JOIN reference b ON b.source_type = 'media' AND b.source_id = a.source_id
      AND +b.target_type = 'taxonomy_term' AND +b.target_id = ${term}
    WHERE a.target_type = 'node' AND a.target_id = ${node} AND a.source_type = 'media' AND a.field = 'field_media_of'
      AND +a.source_id < ${media})`;
}

/**
 * The statements of a transaction that queue what a change of a media has to be followed by. One job per action
 * and node: a job that is there already takes the newer event. A media that is not the first of its node with that
 * use is no source. `mediaUuid` is that of the media, which the same transaction may just have made.
 */
export function addJobs(mediaUuid: string, jobs: readonly NewJob[]): InStatement[] {
  if (jobs.length === 0) return [];
  // Bound as they are: to take a list of events apart in SQL would cost several times as much.
  return [{ sql: insertOrRenew(jobs.length), args: [...jobs.flatMap(argsOf), mediaUuid] }];
}

const END_UNWANTED = `UPDATE derivative_job SET state = 'cancelled', ended_at = ${NOW}, lease = NULL, event = NULL,
    message = 'The source has changed, and this is not made of it any more.'
  WHERE ended_at IS NULL AND node_id = ? AND media_id = (SELECT id FROM media WHERE uuid = ?)
    AND action IN (SELECT value FROM json_each(?))`;

/**
 * The statement that ends jobs of these actions that were queued for a media of a node before its source changed: they
 * are about another file, and this one may be none that they can read.
 */
export function endUnwantedJobs(mediaUuid: string, nodeId: number, actions: readonly string[]): InStatement {
  return { sql: END_UNWANTED, args: [nodeId, mediaUuid, JSON.stringify(actions)] };
}

/** A job for something that was found missing, and the version of the media that it was found by. */
export interface MissingJob {
  readonly job: NewJob;
  readonly mediaId: number;
  readonly mediaVersion: number;
}

/**
 * The statements that queue what was found missing. A job that is there already stays as it is, whatever has become of
 * it; a media that has changed since is passed over, for that change has queued what it calls for.
 */
export function addMissingJobs(missing: readonly MissingJob[]): InStatement[] {
  return missing.map(({ job, mediaId, mediaVersion }) => ({
    sql: INSERT_MISSING,
    args: [...argsOf({ ...job, pool: scanPool(job.pool) }), mediaId, mediaVersion],
  }));
}

function argsOf(job: NewJob): (string | number | null)[] {
  const { eventId, action, pool, nodeId, userId, sourceType, event, chain, sourceTermId, delaySeconds } = job;
  return [
    ...[eventId, action, pool, nodeId, userId, sourceType, event, JSON.stringify(chain)],
    ...[sourceTermId ?? null, delaySeconds],
  ];
}
