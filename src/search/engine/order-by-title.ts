import { and, asc, eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { nodeRecords } from '../../database/schema/search.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { parseIds } from './find-hits.ts';
import type { NodeTable } from './node-table.ts';
import type { NodeOrder, Section } from './order-by-number.ts';

/** The number of nodes up to which their titles are read and sorted. For more, the index is read in its order. */
const MAX_SORTED = 20_000;
const ROWS_AT_ONCE = 10_000;

interface Place {
  readonly title: string;
  readonly nid: number;
}

/** Before all titles. */
const START: Place = { title: '', nid: -1 };

const isBehind = ({ title, nid }: Named<Place>) =>
  sql`(${nodeRecords.titleKey}, ${nodeRecords.nid}) > (${title}, ${nid})`;

const sortSome = prepare(({ ids, title, nid, limit }: Named<Place & { ids: string; limit: number }>) =>
  plain(
    sql`SELECT group_concat(nid) FROM (SELECT ${nodeRecords.nid} FROM ${nodeRecords}
      WHERE ${isAmong(nodeRecords.nid, ids)} AND ${isBehind({ title, nid })}
      ORDER BY ${nodeRecords.titleKey}, ${nodeRecords.nid} LIMIT ${limit})`,
    { ids: sql<string | null>`ids` },
  ),
);

const nextRows = prepare(({ title, nid, limit }: Named<Place & { limit: number }>) =>
  plain(
    sql`SELECT group_concat(nid) FROM (SELECT ${nodeRecords.nid} FROM ${nodeRecords} INDEXED BY node_record_title
      WHERE ${isBehind({ title, nid })} ORDER BY ${nodeRecords.titleKey}, ${nodeRecords.nid} LIMIT ${limit})`,
    { ids: sql<string | null>`ids` },
  ),
);

const findTitle = prepare(({ nid }: Named<{ nid: number }>) =>
  query
    .select({ title: nodeRecords.titleKey })
    .from(nodeRecords)
    .where(and(eq(nodeRecords.nid, nid)))
    .orderBy(asc(nodeRecords.nid)),
);

/** Returns a section of the nodes by their titles. */
export async function orderByTitle(
  database: Database,
  table: NodeTable,
  nodes: Uint32Array,
  { offset, size, after }: Section,
): Promise<NodeOrder> {
  const titleOf = async (nid: number) => (await database.get(findTitle({ nid })))?.title ?? '';
  const start = after === undefined ? START : { title: String(after.key), nid: after.nid };
  if (nodes.length <= MAX_SORTED) {
    const ids = JSON.stringify(Array.from(nodes));
    const sorted = await database.get(sortSome({ ids, ...start, limit: offset + size }));
    return { nids: Array.from(parseIds(sorted?.ids ?? '', offset + size)).slice(offset), keyOf: titleOf };
  }
  const isWanted = new Uint8Array(table.length);
  for (const nid of nodes) isWanted[nid] = 1;
  const nids: number[] = [];
  let skipped = 0;
  for (let place = start; nids.length < size; ) {
    const next = await database.get(nextRows({ ...place, limit: ROWS_AT_ONCE }));
    const rows = parseIds(next?.ids ?? '', ROWS_AT_ONCE);
    for (const nid of rows) {
      if (isWanted[nid] !== 1 || nids.length >= size) continue;
      if (skipped < offset) skipped += 1;
      else nids.push(nid);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) break;
    place = { title: await titleOf(last), nid: last };
  }
  return { nids, keyOf: titleOf };
}
