import { describe, expect, it } from 'bun:test';
import { hasTooManyHits } from '../../../../src/search/engine/order-by-rank.ts';

describe('the hits of a search', () => {
  it.each([
    [50_000, 6, 60_000, false],
    [50_001, 6, 60_000, true],
    [60_000, 1, 180_000, false],
    [60_001, 1, 180_000, true],
    [60_000, 3, 540_000, false],
    [60_001, 3, 540_000, true],
    [20_000, 10, 1_000_000, false],
    [20_001, 10, 1_000_000, true],
    [2_000, 32, 1_000_000, true],
  ])('%d with %d words, of %d nodes, are too many for relevance: %p', (hits, words, nodes, isTooMany) => {
    expect(hasTooManyHits({ hits, words }, nodes)).toBe(isTooMany);
  });
});
