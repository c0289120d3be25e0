import { describe, expect, it } from 'bun:test';
import type { TextLine } from '../../../../src/base/recognized-text/text-page.ts';
import { findMatches } from '../../../../src/iiif/search/find-matches.ts';
import { parseTerms } from '../../../../src/iiif/search/search-terms.ts';

/** A line of words that are 10 pixels wide. */
function lineOf(text: string, at: number): TextLine {
  const words = text.split(' ').map((word, index) => ({
    text: word,
    box: { left: index * 10, top: at * 20, right: index * 10 + 10, bottom: at * 20 + 20 },
  }));
  return { text, words, box: { left: 0, top: at * 20, right: 500, bottom: at * 20 + 20 }, language: 'eng' };
}

const find = (query: string, ...lines: readonly string[]) =>
  findMatches({ box: undefined, lines: lines.map(lineOf) }, parseTerms(query));
const texts = (query: string, ...lines: readonly string[]) => find(query, ...lines).map(({ exact }) => exact);

describe('the matches of a page', () => {
  it('have each place once that several terms name', () => {
    expect(texts('lamp lam*', 'a lamp and a lamp')).toEqual(['lamp', 'lamp']);
  });

  it('have two places that begin or end with the same word', () => {
    expect(texts('keeper "keeper of"', 'the keeper of the light')).toEqual(['keeper', 'keeper of']);
    expect(texts('of "keeper of"', 'the keeper of the light')).toEqual(['keeper of', 'of']);
  });

  it('are in the order of the text, not in that of the terms', () => {
    expect(texts('light keeper', 'the keeper of the light')).toEqual(['keeper', 'light']);
    expect(texts('"keeper of" keeper', 'the keeper of the light')).toEqual(['keeper', 'keeper of']);
  });

  it('are none if the page lacks one of the terms', () => {
    expect(texts('keeper whale', 'the keeper of the light')).toEqual([]);
  });

  it('have eight words before and after them', () => {
    const [match] = find('here', '1 2 3 4 5 6 7 8 9 here 1 2 3 4 5 6 7 8 9');
    expect(match?.before).toBe('2 3 4 5 6 7 8 9');
    expect(match?.after).toBe('1 2 3 4 5 6 7 8');
  });

  it('have both parts of a word that is divided at the end of a line', () => {
    const [first, second] = [lineOf('the har', 0), lineOf('bour light', 1)];
    const part = (line: TextLine, at: number, facts: object) => ({
      ...line,
      words: line.words.map((word, index) => (index === at ? { ...word, ...facts } : word)),
    });
    const lines = [part(first, 1, { whole: 'harbour' }), part(second, 0, { isRest: true })];
    const placesOf = (query: string) =>
      findMatches({ box: undefined, lines }, parseTerms(query)).map(({ parts }) => parts.map(({ exact }) => exact));
    expect(placesOf('harbour')).toEqual([['har', 'bour']]);
    expect(placesOf('"the harbour light"')).toEqual([['the har', 'bour light']]);
    expect(placesOf('bour')).toEqual([]);
  });

  it('have a part in each of their lines, with the box around its words', () => {
    const [match] = find('"of the light"', 'keeper of the', 'light');
    expect(match?.parts.map(({ key }) => key)).toEqual(['1-1-2', '2-0']);
    expect(match?.parts.map(({ box }) => box)).toEqual([
      { left: 10, top: 0, right: 30, bottom: 20 },
      { left: 0, top: 20, right: 10, bottom: 40 },
    ]);
  });
});
