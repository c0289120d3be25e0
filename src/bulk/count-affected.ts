import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Database } from '../database/database.ts';
import { references } from '../database/schema/references.ts';
import { type Named, plain, prepare } from '../database/statement.ts';

const link = alias(references, 'link');

const referring = (type: 'media' | 'node', field: string) =>
  prepare(({ ids }: Named<{ ids: string }>) =>
    plain(
      sql`SELECT count(DISTINCT ${link.sourceId}) FROM json_each(${ids}) list CROSS JOIN ${references} ${link}
        ON ${link.targetType} = 'node' AND ${link.targetId} = list.value
        WHERE ${link.sourceType} = ${sql.raw(`'${type}'`)} AND ${link.field} = ${sql.raw(`'${field}'`)}
          AND NOT (${link.sourceType} = 'node' AND ${link.sourceId} IN (SELECT value FROM json_each(${ids})))`,
      { count: sql<number>`count` },
    ),
  );

const countMedia = referring('media', 'field_media_of');
const countMembers = referring('node', 'field_member_of');

/** Returns the number of media of nodes, and of their members that are not among the nodes. */
export async function countAffected(
  database: Database,
  nodeIds: readonly number[],
): Promise<{ readonly media: number; readonly members: number }> {
  const ids = JSON.stringify(nodeIds);
  const { media, members } = await database.read({ media: countMedia({ ids }), members: countMembers({ ids }) });
  return { media: media[0]?.count ?? 0, members: members[0]?.count ?? 0 };
}
