import type { Services } from '../services.ts';

/** `0` comes right after `/`: so this is behind every URI of the scheme before it. */
const NEXT = "(SELECT min(uri) FROM file WHERE uri >= name || ':0')";

/** One look at an index for each store that there is, however many files it has. */
const STORES = `WITH RECURSIVE scheme (name) AS (
    SELECT substr(uri, 1, instr(uri, '://') - 1) FROM (SELECT min(uri) AS uri FROM file) WHERE uri IS NOT NULL
    UNION ALL
    SELECT substr(${NEXT}, 1, instr(${NEXT}, '://') - 1) FROM scheme WHERE ${NEXT} IS NOT NULL),
  moved (name) AS (
    SELECT min(stored_in) FROM file WHERE stored_in IS NOT NULL
    UNION ALL
    SELECT (SELECT min(stored_in) FROM file WHERE stored_in > moved.name) FROM moved WHERE moved.name IS NOT NULL)
  SELECT name FROM scheme UNION SELECT name FROM moved WHERE name IS NOT NULL`;

/** The schemes that rows of files name, by their URIs or as where their bytes are, and that are not configured. */
export async function lostStores({ database, schemes }: Services): Promise<string[]> {
  const { rows } = await database.client.execute(STORES);
  return rows.map((row) => String(row[0])).filter((name) => !schemes.has(name));
}
