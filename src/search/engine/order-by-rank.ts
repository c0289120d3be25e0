import type { Database } from '../../database/database.ts';
import { findBest, type Weights } from './find-hits.ts';
import type { Results } from './group-pages.ts';
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

/** An order by relevance, with the pages of books in the same order, as far as they were ranked. */
export interface RankOrder extends NodeOrder {
  readonly pages: ReadonlyMap<number, readonly number[]>;
}

/** Returns a section of the results by relevance. They are hits of the expression, or books whose pages are. */
export async function orderByRank(
  database: Database,
  table: NodeTable,
  results: Results,
  { match, weights, hits }: Ranking,
  { offset, size, after }: Section,
): Promise<RankOrder> {
  const count = results.nodes.length;
  const ranked = createRanking(table, results);
  const best = async (limit: number) => ranked(await findBest(database, { match, weights, limit }));
  // Most sections are near the beginning.
  const share = Math.ceil(hits / count);
  const enough = after === undefined ? Math.min(hits, (offset + size) * share * 2 + SPARE) : hits;
  let { order, pages } = await best(enough);
  if (order.length < Math.min(offset + size, count) && enough < hits) ({ order, pages } = await best(hits));
  // Ranks change a little with every write, so the item itself is found again. Its number serves if it is gone.
  const position = after === undefined ? -1 : order.indexOf(after.nid);
  const begin = after === undefined ? offset : position === -1 ? Number(after.key) : position + 1;
  return { nids: Array.from(order.subarray(begin, begin + size)), keyOf: async (_nid, index) => begin + index, pages };
}

/** Returns a function that turns ranked hits into results, each in the place of its best hit. */
function createRanking({ length }: NodeTable, { nodes, books }: Results) {
  const isWanted = new Uint8Array(length);
  for (const nid of nodes) isWanted[nid] = 1;
  if (books === undefined)
    return (hits: Uint32Array) => ({
      order: hits.filter((nid) => isWanted[nid] === 1),
      pages: new Map<number, number[]>(),
    });
  const { resultOf, others } = books;
  return (hits: Uint32Array) => {
    const isOrdered = new Uint8Array(length);
    const order = new Uint32Array(nodes.length);
    const pages = new Map<number, number[]>();
    let size = 0;
    const add = (result: number, hit: number) => {
      if (isOrdered[result] !== 1) {
        isOrdered[result] = 1;
        order[size++] = result;
      }
      if (result === hit) return;
      const known = pages.get(result);
      if (known === undefined) pages.set(result, [hit]);
      else known.push(hit);
    };
    for (let index = 0; index < hits.length; index++) {
      const hit = hits[index] as number;
      // A hit of a write that the table does not have yet, or one that was not selected, has no result.
      const result = resultOf[hit] ?? 0;
      if (result !== 0) add(result, hit);
      if (others.size > 0) for (const other of others.get(hit) ?? []) add(other, hit);
    }
    return { order: order.subarray(0, size), pages };
  };
}

/** Returns how much longer relevance takes for a word or phrase than for one word: a phrase is looked for again. */
export function weightOf(folded: string): number {
  const words = folded.split(' ').length;
  return words === 1 ? 1 : 2 * words;
}

const MANY_HITS = 50_000;
const MANY_SHARE = 1 / 3;
/** Ranking compares each occurrence of a word with all words: up to 0.3 s for this cost in texts of 2,000 words. */
const MAX_RANK_COST = 2_000_000;

interface Hits {
  readonly hits: number;
  /** The weight of the words. */
  readonly words: number;
}

/**
 * Returns true for a search whose hits are too many for relevance: more than 50,000 and, times the weight of the words, more
 * than a third of all nodes; or, times the square of the weight, more than two million.
 */
export function hasTooManyHits({ hits, words }: Hits, nodes: number): boolean {
  return hits * words ** 2 > MAX_RANK_COST || (hits > MANY_HITS && hits * words > nodes * MANY_SHARE);
}
