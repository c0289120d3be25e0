import { sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { derivativeJobs } from '../../database/schema/derivatives.ts';
import { termUris } from '../../database/schema/references.ts';
import { literal } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';

const findFailed = prepare(({ ids }: Named<{ ids: string }>) =>
  plain(
    sql`SELECT DISTINCT ${derivativeJobs.mediaId} FROM json_each(${ids}) node
      CROSS JOIN ${derivativeJobs} ON ${derivativeJobs.nodeId} = node.value AND ${derivativeJobs.state} = 'failed'
      WHERE ${derivativeJobs.mediaId} IS NOT NULL AND EXISTS (SELECT 1 FROM ${termUris}
        WHERE ${termUris.uri} = ${literal(MEDIA_USE_URI.tiles)}
          AND ${derivativeJobs.event} ->> '$.attachment.content.destination_uri' LIKE '%/' || ${termUris.termId})`,
    { media: sql<number>`media` },
  ),
);

/**
 * Returns the ids of the media of nodes whose tiles could not be made: no program of this machine reads their images, so
 * that their image service cannot answer.
 */
export async function findUnserved(database: Database, nodeIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await database.all(findFailed({ ids: JSON.stringify(nodeIds) }));
  return new Set(rows.map(({ media }) => media));
}
