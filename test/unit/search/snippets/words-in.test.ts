import { describe, expect, it } from 'bun:test';
import { parseQuery } from '../../../../src/search/query/parse-query.ts';
import { wordsIn } from '../../../../src/search/snippets/words-in.ts';

const TEXTS = ['The harbour-master of Zürich,', 'and his L\u2019amour of 東京湾.'];

describe('the words of a query that texts have', () => {
  it.each([
    ['harbour', 'harbour'],
    ['HARBOUR zurich', 'HARBOUR zurich'],
    ['"harbour master"', '"harbour master"'],
    ['harb* mast', 'harb*'],
    ['"harbour mas"*', '"harbour mas"*'],
    ['port OR harbour', 'harbour'],
    ['harbour OR master', 'harbour'],
    ['title:harbour master', 'master'],
    ['harbour -port 1890..1900', 'harbour'],
    ['arbour', ''],
    ['"master harbour"', ''],
    ['東京', '東京'],
    ['', ''],
  ])('of %s are %s', (query, words) => {
    expect(wordsIn(TEXTS, parseQuery(query))).toBe(words);
  });

  it('are none without texts', () => {
    expect(wordsIn([], parseQuery('harbour'))).toBe('');
  });
});
