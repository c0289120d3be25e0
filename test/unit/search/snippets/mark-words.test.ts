import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { parseQuery } from '../../../../src/search/query/parse-query.ts';
import { marksOf, matchesIn } from '../../../../src/search/snippets/mark-words.ts';

const PARTS = [
  'Boyle',
  'boyle',
  'BOYLES',
  'Böyle',
  "l'",
  "O'",
  '-',
  'co',
  'operate',
  '東京',
  '湾',
  ' ',
  '\n',
  '. ',
  ',',
  '_',
  '\u00AD',
  '7',
];
const anyText = fc.array(fc.constantFrom(...PARTS), { maxLength: 40 }).map((parts) => parts.join(''));
const anyQuery = fc.constantFrom(
  'boyle',
  'boyle*',
  'co-operate',
  "o'boyle",
  'cooperate',
  '7',
  '東京',
  'Böyle',
  "l'eau co*",
);

describe('the marks of a text', () => {
  it('are the same in parts of the text as in the whole text', () => {
    fc.assert(
      fc.property(anyText, anyQuery, (text, query) => {
        const marks = marksOf(parseQuery(query));
        expect(matchesIn(text, marks)).toEqual(matchesIn(text, { ...marks, segments: undefined }));
      }),
      { numRuns: 2_000 },
    );
  });

  it('are found in linear time', () => {
    const marks = marksOf(parseQuery('boyle'));
    expect(matchesIn(`${'b'.repeat(1_000_000)} boyle`, marks)).toEqual([
      { start: 1_000_001, end: 1_000_006, phrase: 'boyle' },
    ]);
  });
});
