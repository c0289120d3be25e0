import type { Client, InStatement } from '@libsql/client';

/** Above a term are its parents and what is above those. `UNION` ends even where there is a circle already. */
const ABOVE = `WITH RECURSIVE above (id) AS (
    SELECT value FROM json_each(?)
    UNION
    SELECT r.target_id FROM above a JOIN reference r ON r.source_id = a.id
      WHERE r.source_type = 'taxonomy_term' AND r.field = 'parent')`;

/** Those of the parents that are the term itself or stand below it: with them it would be above itself. */
export async function circularParents(client: Client, id: number, parents: readonly number[]): Promise<number[]> {
  const { rows } = await client.execute({
    sql: `SELECT p.value FROM json_each(?) p WHERE ? IN (${ABOVE.replace('json_each(?)', 'json_each(json_array(p.value))')} SELECT id FROM above)`,
    args: [JSON.stringify(parents), id],
  });
  return rows.map((row) => Number(row[0]));
}

/** Makes a batch fail in which a term has come to stand above itself: someone else moved another one meanwhile. */
export function refuseCircle(id: number, parents: readonly number[]): InStatement {
  return {
    sql: `INSERT INTO guard (stale) SELECT 1 WHERE ? IN (${ABOVE} SELECT id FROM above)`,
    args: [id, JSON.stringify(parents)],
  };
}
