import { describe, expect, it } from 'bun:test';
import { parseTerms } from '../../../../src/iiif/search/search-terms.ts';

const conditions = (query: string) => parseTerms(query).map(({ condition }) => condition);

describe('the conditions of the terms of a query', () => {
  it.each([
    ['Lamp', ['"lamp"']],
    ['lamp LAMP', ['"lamp"']],
    ['lam*', ['"lam" *']],
    ['"the keeper"', ['"the keeper"']],
    ['"the keep"*', ['"the keep" *']],
    ['light-house keeper', ['("light house" OR "lighthouse")', '"keeper"']],
    ['+ - ""', []],
  ])('of %p are phrases of the index', (query, found) => {
    expect(conditions(query)).toEqual(found);
  });

  it('have the letters of scripts without spaces as words, too', () => {
    expect(conditions('東京')).toEqual(['"東京"']);
  });

  it('are at most 32 different ones', () => {
    const words = Array.from({ length: 40 }, (_, index) => `lamp${index}`);
    expect(conditions([...words.slice(0, 20), ...words].join(' '))).toEqual(
      words.slice(0, 32).map((word) => `"${word}"`),
    );
  });
});
