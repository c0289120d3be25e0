import { describe, expect, it } from 'bun:test';
import { hasTooManyHits } from '../../../../src/search/engine/create-engine.ts';

describe('the hits of a search', () => {
  it.each([
    [50_000, 9, 60_000, false],
    [50_001, 9, 60_000, true],
    [60_000, 1, 180_000, false],
    [60_001, 1, 180_000, true],
    [60_000, 3, 540_000, false],
    [60_001, 3, 540_000, true],
  ])('%d with %d words, of %d nodes, are too many for relevance: %p', (hits, words, nodes, isTooMany) => {
    expect(hasTooManyHits({ hits, words }, nodes)).toBe(isTooMany);
  });
});
