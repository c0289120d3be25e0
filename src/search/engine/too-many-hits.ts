const MANY_HITS = 50_000;
const MANY_SHARE = 1 / 3;

interface Hits {
  readonly hits: number;
  /** The weight of the words. */
  readonly words: number;
}

/**
 * Returns true for a search whose hits are too many for relevance: more than 50,000 and, times the weight of the words, more
 * than a third of all nodes.
 */
export function hasTooManyHits({ hits, words }: Hits, nodes: number): boolean {
  return hits > MANY_HITS && hits * words > nodes * MANY_SHARE;
}
