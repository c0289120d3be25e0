import type { Database } from '../../database/database.ts';
import { findBest, type Weights } from './find-hits.ts';
import type { NodeTable } from './node-table.ts';
import type { NodeOrder, Section } from './order-by-number.ts';

/** Hits that are ranked beyond those that a section probably needs. */
const SPARE = 100;

interface Ranking {
  readonly match: string;
  readonly weights: Weights;
  /** The number of hits of the expression. */
  readonly hits: number;
}

/** Returns a section of the nodes by relevance. The nodes are hits of the expression, or a part of them. */
export async function orderByRank(
  database: Database,
  table: NodeTable,
  nodes: Uint32Array,
  { match, weights, hits }: Ranking,
  { offset, size, after }: Section,
): Promise<NodeOrder> {
  const isWanted = new Uint8Array(table.length);
  for (const nid of nodes) isWanted[nid] = 1;
  const best = async (limit: number) =>
    (await findBest(database, { match, weights, limit })).filter((nid) => isWanted[nid] === 1);
  // Most sections are near the beginning.
  const share = Math.ceil(hits / nodes.length);
  const enough = after === undefined ? Math.min(hits, (offset + size) * share * 2 + SPARE) : hits;
  let ranked = await best(enough);
  if (ranked.length < Math.min(offset + size, nodes.length) && enough < hits) ranked = await best(hits);
  // Ranks change a little with every write, so the item itself is found again. Its number serves if it is gone.
  const position = after === undefined ? -1 : ranked.indexOf(after.nid);
  const begin = after === undefined ? offset : position === -1 ? Number(after.key) : position + 1;
  return { nids: Array.from(ranked.subarray(begin, begin + size)), keyOf: async (_nid, index) => begin + index };
}
