import type { ScoredHits } from '../postings/match-words.ts';
import { eachBook, pagesOf, type Results } from './group-pages.ts';
import { MAX_NID, type NodeTable } from './node-table.ts';
import { type Section, smallest } from './order-by-number.ts';
import type { RankOrder } from './order-by-rank.ts';

/** The steps between the worst and the best score: with an id, they are an integer that a number represents. */
const STEPS = 2 ** 26;

/** Returns a section of the results by their scores, equal ones by id. A book has the score of its best hit. */
export function orderByScore(
  table: NodeTable,
  { nodes, books }: Results,
  { scores }: ScoredHits,
  { offset, size, after }: Section,
): RankOrder {
  let best = scores;
  if (books !== undefined) {
    best = scores.slice();
    eachBook(books, (book, pages) => {
      for (let index = 0; index < pages.length; index++)
        best[book] = Math.max(best[book] as number, scores[pages[index] as number] as number);
    });
  }
  let highest = Number.MIN_VALUE;
  for (let index = 0; index < nodes.length; index++)
    highest = Math.max(highest, best[nodes[index] as number] as number);
  const scale = STEPS / highest;
  const keyOf = (nid: number) => (STEPS - Math.floor((best[nid] as number) * scale)) * (MAX_NID + 1) + nid;
  // Scores change a little with every write, so the item itself is found again. Its number serves if it is no longer a result.
  const isKept = after !== undefined && after.nid < table.length && nodes.includes(after.nid);
  const place = after === undefined ? offset : Number(after.key);
  const begin = isKept ? place + 1 : place;
  const keys = isKept
    ? smallest(nodes, keyOf, size, keyOf(after.nid))
    : smallest(nodes, keyOf, begin + size).subarray(begin);
  const nids = Array.from(keys, (key) => key % (MAX_NID + 1));
  const pages = new Map<number, number[]>();
  if (books !== undefined)
    for (const nid of nids)
      pages.set(
        nid,
        [...pagesOf(books, nid)].sort((one, other) => (scores[other] as number) - (scores[one] as number)),
      );
  return { nids, keyOf: async (_nid, index) => begin + index, pages };
}
