import { describe, expect, it } from 'bun:test';
import { parseQuery } from '../../../../src/search/query/parse-query.ts';
import { cutMatch } from '../../../../src/search/snippets/cut-snippet.ts';
import { marksOf } from '../../../../src/search/snippets/mark-words.ts';

/** The snippet of a text for a query, with its marks in brackets. */
function snippet(query: string, text: string): string | undefined {
  return cutMatch(text, marksOf(parseQuery(query)))
    ?.map(({ text: part, isMark }) => (isMark ? `[${part}]` : part))
    .join('');
}

describe('the snippet of a text', () => {
  it.each([
    ['quran', 'The Qurʼān', 'The [Qurʼān]'],
    ["o'connor", 'an OConnor', 'an [OConnor]'],
    ["d'arcy", 'Lord Darcy', 'Lord [Darcy]'],
    ['darcy', 'Lord d’Arcy', 'Lord [d’Arcy]'],
    ['"darcy family"', 'the d’Arcy family', 'the [d’Arcy family]'],
    ['"d\'arcy family"', 'the Darcy family', 'the [Darcy family]'],
    ['darc*', 'Lord d’Arcy', 'Lord [d’Arcy]'],
    ['"l\'art moderne"', 'de l’art moderne', 'de [l’art moderne]'],
    ['cooperate operate', 'to co-operate', 'to [co-operate]'],
    ['co-operate', 'to cooperate', 'to [cooperate]'],
    ['東京', '新東京湾、東京', '新[東京]湾、[東京]'],
    ['湾', '東京湾', '東京[湾]'],
    ['東京湾', '東 京 湾', '[東 京 湾]'],
    ['第3章', '第３章節', '[第３章]節'],
    ['도서관', '국립중앙도서관', '국립중앙[도서관]'],
    ['𠮷野', '新𠮷野家', '新[𠮷野]家'],
    ['ﾗｰﾒﾝ', 'ラーメン店', '[ラーメン]店'],
    ['nothing', 'something', undefined],
  ])('for %s from %s is %s', (query, text, expected) => {
    expect(snippet(query, text)).toBe(expected);
  });

  it('finds a word far behind the beginning', () => {
    const text = `${'長い文章です。'.repeat(2_000)}東京湾${'終'.repeat(500)}`;
    expect(snippet('東京湾', text)).toContain('[東京湾]');
    expect(snippet('cooperate', `${'some words '.repeat(2_000)}co-operate`)).toContain('[co-operate]');
  });
});
