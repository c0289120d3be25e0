import { sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { searchTexts } from '../../database/schema/search.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';

/** The hits of one statement: a response of a database server has at most 10 MB. */
const HITS_AT_ONCE = 500_000;

// All ids as one text: as rows, they would take six times as long.
const findSlice = prepare(({ match, after, limit }: Named<{ match: string; after: number; limit: number }>) =>
  plain(
    sql`SELECT group_concat(hit), count(*), max(hit) FROM (SELECT rowid AS hit FROM ${searchTexts}
      WHERE ${searchTexts} MATCH ${match} AND rowid > ${after} ORDER BY rowid LIMIT ${limit})`,
    { ids: sql<string | null>`ids`, count: sql<number>`count`, last: sql<number | null>`last` },
  ),
);

/** The weights of the columns of the index, in their order. */
export type Weights = readonly [number, number, number, number, number, number];

type RankedValues = Record<'match', string> & Record<'limit' | 'w0' | 'w1' | 'w2' | 'w3' | 'w4' | 'w5', number>;

// Twice as fast as an order by the column `rank`, which sorts all hits before it is limited.
const findRanked = prepare(({ match, limit, w0, w1, w2, w3, w4, w5 }: Named<RankedValues>) =>
  plain(
    sql`SELECT group_concat(hit) FROM (SELECT rowid AS hit FROM ${searchTexts} WHERE ${searchTexts} MATCH ${match}
      ORDER BY bm25(${searchTexts}, ${w0}, ${w1}, ${w2}, ${w3}, ${w4}, ${w5}), rowid LIMIT ${limit})`,
    { ids: sql<string | null>`ids` },
  ),
);

/** Returns the ids of all nodes that match an expression of FTS5, in their order. `onSlice` may throw to end it. */
export async function findHits(database: Database, match: string, onSlice: () => Promise<void>): Promise<Uint32Array> {
  const slices: Uint32Array[] = [];
  for (let after = 0; ; ) {
    const slice = await database.get(findSlice({ match, after, limit: HITS_AT_ONCE }));
    if (slice === undefined || slice.ids === null || slice.last === null) break;
    slices.push(parseIds(slice.ids, slice.count));
    if (slice.count < HITS_AT_ONCE) break;
    after = slice.last;
    await onSlice();
  }
  return slices.length === 1 ? (slices[0] as Uint32Array) : joined(slices);
}

/** Returns the ids of the best matches, the best first. */
export async function findBest(
  database: Database,
  { match, weights, limit }: { readonly match: string; readonly weights: Weights; readonly limit: number },
): Promise<Uint32Array> {
  const [w0, w1, w2, w3, w4, w5] = weights;
  const ranked = await database.get(findRanked({ match, limit, w0, w1, w2, w3, w4, w5 }));
  return parseIds(ranked?.ids ?? '', limit);
}

interface Matching {
  readonly condition: string;
  /** The first and the last of the nodes, which narrow the search of the index. */
  readonly first: number;
  readonly last: number;
  /** A JSON list. */
  readonly nids: string;
}

const findAmong = prepare(({ condition, first, last, nids }: Named<Matching>) =>
  plain(
    sql`SELECT group_concat(hit) FROM (SELECT rowid AS hit FROM ${searchTexts} WHERE ${searchTexts} MATCH ${condition}
      AND rowid BETWEEN ${first} AND ${last} AND +rowid IN (SELECT value FROM json_each(${nids})))`,
    { ids: sql<string | null>`ids` },
  ),
);

/** Returns those of some nodes, in any order, that match an expression of FTS5. */
export async function findMatching(database: Database, condition: string, nids: readonly number[]): Promise<number[]> {
  if (nids.length === 0) return [];
  const first = nids.reduce((least, nid) => Math.min(least, nid));
  const last = nids.reduce((greatest, nid) => Math.max(greatest, nid));
  const matching = await database.get(findAmong({ condition, first, last, nids: JSON.stringify(nids) }));
  return Array.from(parseIds(matching?.ids ?? '', nids.length));
}

function joined(slices: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(slices.reduce((length, slice) => length + slice.length, 0));
  let at = 0;
  for (const slice of slices) {
    all.set(slice, at);
    at += slice.length;
  }
  return all;
}

const COMMA = 44;
const ZERO = 48;

/** Parses ids that are separated by commas, at most `count`. */
export function parseIds(text: string, count: number): Uint32Array {
  const ids = new Uint32Array(text === '' ? 0 : count);
  let size = 0;
  let id = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA) {
      ids[size++] = id;
      id = 0;
    } else id = id * 10 + code - ZERO;
  }
  if (text !== '') ids[size++] = id;
  return ids.subarray(0, size);
}
