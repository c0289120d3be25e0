import { and, eq, isNull, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { madeOncePer } from '../base/made-once.ts';
import { CLOCK } from '../database/database-time.ts';
import { query } from '../database/query-builder.ts';
import { media } from '../database/schema/content.ts';
import { derivativeJobs } from '../database/schema/derivatives.ts';
import { references } from '../database/schema/references.ts';
import { excluded, isAmong, isTextWithoutIndex, namesOf } from '../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../database/statement.ts';
import { isMediaOf } from '../repository/relations.ts';
import type { NewJob } from './job.ts';
import { ENDED } from './outbox-queries.ts';
import { scanPool } from './rules.ts';

const jobs = derivativeJobs;
/** The columns that a new job sets from its row. */
const GIVEN = [
  ...[jobs.eventId, jobs.action, jobs.pool, jobs.nodeId, jobs.userId, jobs.sourceType, jobs.event, jobs.chain],
] as const;
const DERIVED = [jobs.mediaId, jobs.version, jobs.state, jobs.attempts, jobs.availableAt, jobs.createdAt] as const;
/** The columns that a newer event replaces in an open job. The process that runs the job notices the change at its end. */
const RENEWED = [...[jobs.eventId, jobs.pool, jobs.mediaId, jobs.userId, jobs.sourceType, jobs.event, jobs.chain]].map(
  (column) => sql`${namesOf(column)} = ${excluded(column)}`,
);
const RENEW = sql`${sql.join(RENEWED, sql`, `)}, ${namesOf(jobs.version)} = ${jobs.version} + 1,
  ${namesOf(jobs.state)} = 'queued', ${namesOf(jobs.waitsFor)} = NULL, ${namesOf(jobs.attempts)} = 0,
  ${namesOf(jobs.status)} = NULL, ${namesOf(jobs.message)} = NULL, ${namesOf(jobs.stderr)} = NULL,
  ${namesOf(jobs.availableAt)} =
    CASE WHEN ${jobs.lease} IS NULL THEN ${excluded(jobs.availableAt)} ELSE ${jobs.availableAt} END`;

/** The names of the values of a row: those of `GIVEN`, the term of the source or null, and the delay in seconds. */
const VALUES = [
  'eventId',
  'action',
  'pool',
  'nodeId',
  'userId',
  'sourceType',
  'event',
  'chain',
  'term',
  'delay',
] as const;
type JobValues = { readonly [Name in (typeof VALUES)[number]]: string | number | null };

/** Returns the SQL that queues rows for a media that fulfils a condition. */
function insertJobs(rows: readonly SQL[], condition: SQL, onConflict: SQL): SQL {
  const given = namesOf(...GIVEN);
  return sql`WITH job (${given}, term, delay) AS (VALUES ${sql.join([...rows], sql`, `)})
    INSERT INTO ${jobs} (${namesOf(...GIVEN, ...DERIVED)})
    SELECT ${given}, iif(job.term IS NULL, NULL, ${media.id}), 1, 'queued', 0, ${CLOCK} + job.delay, ${CLOCK}
    FROM job CROSS JOIN ${media} WHERE ${condition}
    ON CONFLICT (${namesOf(jobs.nodeId, jobs.action)}) WHERE ${namesOf(jobs.endedAt)} IS NULL DO ${onConflict}`;
}

const rowOf = (values: readonly SQL[]) => sql`(${sql.join([...values], sql`, `)})`;

const insertMissing = prepare((values: Named<JobValues & { readonly mediaId: number; readonly version: number }>) =>
  plain(
    insertJobs(
      [rowOf(VALUES.map((name) => values[name]))],
      sql`${media.id} = ${values.mediaId} AND ${media.version} = ${values.version}`,
      sql`NOTHING`,
    ),
  ),
);

/** The statements by number of rows. */
const insertOrRenew = madeOncePer((count: number) =>
  prepare((values: Named<Record<string, string | number | null>>) => {
    const rows = Array.from({ length: count }, (_, row) => rowOf(VALUES.map((name) => values[`${name}${row}`] as SQL)));
    const isFirst = sql`NOT ${hasPredecessor(sql`job.node_id`, sql`job.term`, media.id)}`;
    const isSource = sql`${media.uuid} = ${values.mediaUuid} AND (job.term IS NULL OR ${isFirst})`;
    return plain(insertJobs(rows, isSource, sql`UPDATE SET ${RENEW}`));
  }),
);

const [member, use] = [alias(references, 'a'), alias(references, 'b')];

/**
 * Returns the condition that a media is not the first of a node with a use: then it is no source. The arguments are
 * expressions for ids. CROSS and `+` fix the order of the join: from the few media of the node.
 */
export function hasPredecessor(node: SQLWrapper, term: SQLWrapper, mediaId: SQLWrapper): SQL {
  return sql`EXISTS (
    SELECT 1 FROM ${references} ${member} CROSS JOIN ${references} ${use}
      ON ${use.sourceType} = 'media' AND ${use.sourceId} = ${member.sourceId}
      AND ${isTextWithoutIndex(use.targetType, 'taxonomy_term')} AND +${use.targetId} = ${term}
    WHERE ${isMediaOf(member, node)} AND +${member.sourceId} < ${mediaId})`;
}

/**
 * Returns the statements that queue the jobs of a changed media in its transaction. There is one open job per action and
 * node: an existing one takes the newer event. Only the first media of a node with a use is a source. The same
 * transaction may have inserted the media with `mediaUuid`.
 */
export function addJobs(mediaUuid: string, added: readonly NewJob[]): Statement[] {
  if (added.length === 0) return [];
  // One parameter per value: parsing a JSON list of events in SQL would cost several times as much.
  const values = added.flatMap((job, row) =>
    Object.entries(valuesOf(job)).map(([name, value]) => [`${name}${row}`, value] as const),
  );
  return [insertOrRenew(added.length)({ ...Object.fromEntries(values), mediaUuid })];
}

const endUnwanted = prepare(
  ({ mediaUuid, nodeId, actions }: Named<{ mediaUuid: string; nodeId: number; actions: string }>) =>
    query
      .update(jobs)
      .set({
        ...ENDED,
        state: 'cancelled',
        message: 'The source has changed and no longer has this derivative.',
      })
      .where(
        and(
          isNull(jobs.endedAt),
          eq(jobs.nodeId, nodeId),
          eq(jobs.mediaId, query.select({ id: media.id }).from(media).where(eq(media.uuid, mediaUuid))),
          isAmong(jobs.action, actions),
        ),
      ),
);

/**
 * Returns the statement that ends jobs of these actions that were queued for a media of a node before its source changed:
 * they name the previous file, and may not support the new one.
 */
export function endUnwantedJobs(mediaUuid: string, nodeId: number, actions: readonly string[]): Statement {
  return endUnwanted({ mediaUuid, nodeId, actions: JSON.stringify(actions) });
}

/** A job for a missing derivative, and the version of the media for which a scan found it missing. */
export interface MissingJob {
  readonly job: NewJob;
  readonly mediaId: number;
  readonly mediaVersion: number;
}

/**
 * Returns the statements that queue missing derivatives. They change no existing job, and skip a media that has changed
 * since: that change has queued its own jobs.
 */
export function addMissingJobs(missing: readonly MissingJob[]): Statement[] {
  return missing.map(({ job, mediaId, mediaVersion }) =>
    insertMissing({ ...valuesOf({ ...job, pool: scanPool(job.pool) }), mediaId, version: mediaVersion }),
  );
}

function valuesOf({ chain, sourceTermId, delaySeconds, ...given }: NewJob): JobValues {
  return { ...given, chain: JSON.stringify(chain), term: sourceTermId ?? null, delay: delaySeconds };
}
