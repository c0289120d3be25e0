import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { files } from '../../database/schema/files.ts';
import { plain, prepare } from '../../database/statement.ts';
import type { Services } from '../content/services.ts';

const next = alias(files, 'next');
/** The lowest URI behind every URI of a scheme: `0` follows `/`. */
const NEXT = sql`(SELECT min(${next.uri}) FROM ${files} ${next} WHERE ${next.uri} >= scheme.name || ':0')`;
const schemeOf = (uri: SQL) => sql`substr(${uri}, 1, instr(${uri}, '://') - 1)`;

/** Finds all names of stores. It reads one index entry per store, however many files there are. */
const stores = prepare(() =>
  plain(
    sql`WITH RECURSIVE scheme (name) AS (
        SELECT ${schemeOf(sql`uri`)} FROM (SELECT min(${files.uri}) AS uri FROM ${files}) WHERE uri IS NOT NULL
        UNION ALL
        SELECT ${schemeOf(NEXT)} FROM scheme WHERE ${NEXT} IS NOT NULL),
      moved (name) AS (
        SELECT min(${files.storedIn}) FROM ${files} WHERE ${files.storedIn} IS NOT NULL
        UNION ALL
        SELECT (SELECT min(${files.storedIn}) FROM ${files} WHERE ${files.storedIn} > moved.name)
          FROM moved WHERE moved.name IS NOT NULL)
      SELECT name FROM scheme UNION SELECT name FROM moved WHERE name IS NOT NULL`,
    { name: sql<string>`name` },
  ),
);

/** Returns the schemes that files name, in their URIs or as the place of their bytes, and that are not configured. */
export async function lostStores({ database, schemes }: Services): Promise<string[]> {
  const rows = await database.all(stores());
  return rows.map(({ name }) => name).filter((name) => !schemes.has(name));
}
