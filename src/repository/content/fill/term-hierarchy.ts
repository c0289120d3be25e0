import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../../database/database.ts';
import { references } from '../../../database/schema/references.ts';
import { failIf } from '../../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../../database/statement.ts';

/** Returns the condition that a term is in the list or above one in it. `UNION` ends even in a circle. */
function isAbove(id: SQL, list: SQL): SQL {
  return sql`${id} IN (WITH RECURSIVE above (id) AS (
      SELECT value FROM json_each(${list})
      UNION
      SELECT ${references.targetId} FROM above CROSS JOIN ${references} ON ${references.sourceId} = above.id
        WHERE ${references.sourceType} = 'taxonomy_term' AND ${references.field} = 'parent')
    SELECT id FROM above)`;
}

const circular = prepare(({ id, parents }: Named<{ id: number; parents: string }>) =>
  plain(
    sql`SELECT parent.value FROM json_each(${parents}) parent
      WHERE ${isAbove(id, sql`json_array(parent.value)`)}`,
    { id: sql<number>`id` },
  ),
);

/** Returns those of the parents that are the term itself or below it. */
export async function circularParents(database: Database, id: number, parents: readonly number[]): Promise<number[]> {
  const rows = await database.all(circular({ id, parents: JSON.stringify(parents) }));
  return rows.map((row) => row.id);
}

const refuse = prepare(({ id, parents }: Named<{ id: number; parents: string }>) =>
  failIf('stale', isAbove(id, parents)),
);

/** Returns the statement that fails a batch which places a term above itself, after a concurrent move. */
export function failIfCircular(id: number, parents: readonly number[]): Statement {
  return refuse({ id, parents: JSON.stringify(parents) });
}
