import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../database/database.ts';
import { media } from '../../database/schema/content.ts';
import { references } from '../../database/schema/references.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { isMediaOf } from '../relations.ts';

const [medium, use] = [alias(media, 'm'), alias(references, 'mu')];

type Values = { readonly node: number; readonly uses: string };

/** A media is closed unless all of its uses are open, of which it has at least one. */
const findClosed = prepare(({ node, uses }: Named<Values>) =>
  plain(
    sql`SELECT ${medium.id} FROM ${references} CROSS JOIN ${media} ${medium} ON ${medium.id} = ${references.sourceId}
      WHERE ${isMediaOf(references, node)} AND ${medium.status} = 1 AND NOT coalesce(
        (SELECT min(${use.targetId} IN (SELECT value FROM json_each(${uses}))) FROM ${references} ${use}
          WHERE ${use.sourceType} = 'media' AND ${use.sourceId} = ${medium.id} AND ${use.field} = 'field_media_use'), 0)
      LIMIT 1`,
    { id: sql<number>`id` },
  ),
);

/** Returns true if a node has a published media that is closed while only media with one of the uses are open. */
export async function hasClosedFiles(database: Database, node: number, openUses: readonly number[]): Promise<boolean> {
  return (await database.get(findClosed({ node, uses: JSON.stringify(openUses) }))) !== undefined;
}
