import type { LinkedSite } from './linked-site.ts';

/** Counts in SQL: `n (i)` has as many rows. */
const counted = (rows: number) => `n (i) AS (SELECT value FROM generate_series(0, ${rows - 1}))`;

/**
 * A node with `count` media, each with a picture and a use: rows as the API writes them, but for the documents of the
 * copies. To make them one by one would take minutes.
 */
export async function nodeWithMedia(site: LinkedSite, count: number, use: string): Promise<number> {
  const node = await site.node();
  const { id, file } = await site.picture(node, use);
  const uri = `'fedora://page ' || ${node} || ' ' || i || '.png'`;
  const files = await copyRow(site, 'file', file, count - 1, { uri, storage_key: 'storage_key || i' });
  const media = await copyRow(site, 'media', id, count - 1, { linked: 'NULL', label: "'page ' || i" });
  const target = `CASE target_type WHEN 'file' THEN ${files} + i ELSE target_id END`;
  await site.repository.running.services.database.write([
    `WITH ${counted(count - 1)} INSERT INTO reference (source_type, source_id, field, delta, target_type, target_id, weight)
      SELECT source_type, ${media} + i, field, delta, target_type, ${target}, weight
      FROM reference, n WHERE source_type = 'media' AND source_id = ${id} AND field <> 'thumbnail'`,
  ]);
  return node;
}

/** Copies a row under new ids, with other values for some columns: SQL in which `i` counts. Returns the first new id. */
async function copyRow(
  site: LinkedSite,
  table: string,
  id: number,
  times: number,
  values: Record<string, string>,
): Promise<number> {
  const { client, write } = site.repository.running.services.database;
  const columns = (await client.execute(`PRAGMA table_info(${table})`)).rows.map((row) => String(row[1]));
  const { rows } = await client.execute(`SELECT seq FROM sqlite_sequence WHERE name = '${table}'`);
  const first = Number(rows[0]?.[0]) + 1;
  const all: Record<string, string> = { ...values, id: `${first} + i`, uuid: "'copy of ' || uuid || ' ' || i" };
  const selected = columns.map((column) => all[column] ?? column);
  await write([
    `WITH ${counted(times)} INSERT INTO ${table} (${columns}) SELECT ${selected} FROM ${table}, n WHERE id = ${id}`,
  ]);
  return first;
}
