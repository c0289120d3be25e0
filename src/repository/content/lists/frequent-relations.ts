import { desc, sql } from 'drizzle-orm';
import type { Database } from '../../../database/database.ts';
import { nodes } from '../../../database/schema/content.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';

/** The newest items whose relations are counted. */
const COUNTED_ITEMS = 200;

const relationsOf = prepare(({ path, limit }: Named<{ readonly path: string; readonly limit: number }>) =>
  plain(
    sql`SELECT item.value ->> '$.rel_type' AS relation
      FROM (SELECT ${nodes.document} AS document FROM ${nodes} ORDER BY ${desc(nodes.id)} LIMIT ${COUNTED_ITEMS}) newest,
        json_each(newest.document, ${path}) item
      WHERE relation IS NOT NULL GROUP BY relation ORDER BY count(*) DESC, relation LIMIT ${limit}`,
    { relation: sql<string>`relation` },
  ),
);

/** Returns the relations that the newest items have most often in a field, at most `limit`. */
export async function frequentRelations(database: Database, field: string, limit: number): Promise<string[]> {
  const rows = await database.all(relationsOf({ path: `$.${field}`, limit }));
  return rows.map(({ relation }) => relation);
}
