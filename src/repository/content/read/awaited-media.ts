import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../../database/database.ts';
import { derivativeJobs } from '../../../database/schema/derivatives.ts';
import { termUris } from '../../../database/schema/references.ts';
import { isText, literal } from '../../../database/sql.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import { MEDIA_USE_URI } from '../../../model/media-use.ts';

type Use = keyof typeof MEDIA_USE_URI;

const [job, use] = [alias(derivativeJobs, 'job'), alias(termUris, 'awaited')];

/**
 * Returns the condition that a derivative with one of these uses is in the queue for a node, or is being made. The address
 * to which a job will write ends with the id of the term of its use.
 */
export function awaitsMedia(nodeId: SQL, uses: readonly Use[]): SQL<number> {
  return sql`EXISTS (SELECT 1 FROM ${derivativeJobs} ${job} WHERE ${job.nodeId} = ${nodeId} AND ${job.endedAt} IS NULL
    AND ${isJobFor(job, 'queued', uses)})`;
}

/** Returns the condition that an open job has this state and makes a derivative with one of these uses. */
export function isJobFor(
  { state, event }: Readonly<Record<'state' | 'event', SQLiteColumn>>,
  wanted: 'queued' | 'failed',
  uses: readonly Use[],
): SQL {
  const uris = sql.join(
    uses.map((each) => literal(MEDIA_USE_URI[each])),
    sql`, `,
  );
  return sql`${isText(state, wanted)} AND EXISTS (SELECT 1 FROM ${termUris} ${use} WHERE ${use.uri} IN (${uris})
      AND ${event} ->> '$.attachment.content.destination_uri' LIKE '%/' || ${use.termId})`;
}

const COLUMNS = { version: sql<number>`version`, thumbnail: sql<number>`thumbnail` };

const findAwaited = prepare(({ nodeId }: Named<{ nodeId: number }>) =>
  plain(
    sql`SELECT ${awaitsMedia(sql`${nodeId}`, ['original', 'service'])}, ${awaitsMedia(sql`${nodeId}`, ['thumbnail'])}`,
    COLUMNS,
  ),
);

/** Returns whether a version of a node's file for readers is being made, and whether a thumbnail is. */
export async function findAwaitedMedia(
  database: Database,
  nodeId: number,
): Promise<{ version: boolean; thumbnail: boolean }> {
  const row = await database.get(findAwaited({ nodeId }));
  return { version: row?.version === 1, thumbnail: row?.thumbnail === 1 };
}
