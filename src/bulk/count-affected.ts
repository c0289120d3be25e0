import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Database } from '../database/database.ts';
import { references } from '../database/schema/references.ts';
import { type Named, plain, prepare } from '../database/statement.ts';
import { isMediaOf, isMemberOf } from '../repository/relations.ts';

const link = alias(references, 'link');

const counting = (isRelated: typeof isMemberOf) =>
  prepare(({ ids }: Named<{ ids: string }>) =>
    plain(
      sql`SELECT count(DISTINCT ${link.sourceId}) FROM json_each(${ids}) list CROSS JOIN ${references} ${link}
        ON ${isRelated(link, sql`list.value`)}
        WHERE NOT (${link.sourceType} = 'node' AND ${link.sourceId} IN (SELECT value FROM json_each(${ids})))`,
      { count: sql<number>`count` },
    ),
  );

const countMedia = counting(isMediaOf);
const countMembers = counting(isMemberOf);

/** Returns the number of media of nodes, and of their members that are not among the nodes. */
export async function countAffected(
  database: Database,
  nodeIds: readonly number[],
): Promise<{ readonly media: number; readonly members: number }> {
  const ids = JSON.stringify(nodeIds);
  const { media, members } = await database.read({ media: countMedia({ ids }), members: countMembers({ ids }) });
  return { media: media[0]?.count ?? 0, members: members[0]?.count ?? 0 };
}
