import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import Libsql from 'libsql';
import { foldText } from '../../../../src/base/fold-text.ts';
import { indexedText } from '../../../../src/base/words.ts';
import { parseQuery } from '../../../../src/search/query/parse-query.ts';
import { toExpression } from '../../../../src/search/query/to-expression.ts';

const fts = new Libsql(':memory:');
fts.exec(`CREATE VIRTUAL TABLE search_text USING fts5(title, subject, creator, identifier, text, fulltext, content='',
  contentless_delete=1, tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'")`);
const insert = fts.prepare(
  'INSERT INTO search_text (rowid, title, subject, creator, identifier, text, fulltext) VALUES (?,?,?,?,?,?,?)',
);
const match = fts.prepare('SELECT rowid FROM search_text WHERE search_text MATCH ? ORDER BY rowid').raw();

const ROWS: readonly (readonly string[])[] = [
  ['Harbour fire', 'Ports', 'Boyle, Margaret', 'HCA-1929-0042', 'The old customs house', ''],
  ['Harbour plans', 'Breakwaters', '', '10.1234/abc-5', 'A fire engine stands by', ''],
  ['Zürich, Łódź and Ærø', '', 'Škvorecký, Josef', '', '', ''],
  ['東京大学の歴史', '', '', '', '', ''],
  ['Letters', '', '', '', '', 'seen in the fulltext alone'],
];
for (const [index, row] of ROWS.entries()) insert.run(index + 1, ...row.map(indexedText));

/** The rows that a query finds in a real index. */
function found(text: string, searchesMedia = true): number[] {
  const { match: expression, without } = toExpression(parseQuery(text), searchesMedia);
  const run = (given: string) => (match.all(given) as unknown as number[][]).map(([rowid]) => rowid as number);
  if (expression !== undefined) return run(expression);
  const left = new Set(without === undefined ? [] : run(without));
  return ROWS.map((_, index) => index + 1).filter((rowid) => !left.has(rowid));
}

describe('a query', () => {
  it.each([
    ['harbour', [1, 2]],
    ['HARBOUR Fire', [1, 2]],
    ['"harbour fire"', [1]],
    ['“harbour fire”', [1]],
    ['harb*', [1, 2]],
    ['"harbour pl"*', [2]],
    ['h*', []],
    ['ha*', [1, 2]],
    ['歴*', [4]],
    ['harbour -customs', [2]],
    ['harbour -"fire engine"', [1]],
    ['harbour -title:fire', [2]],
    ['-harbour', [3, 4, 5]],
    ['customs OR engine', [1, 2]],
    ['fire customs OR engine', [1, 2]],
    ['customs OR letters harbour', [1]],
    ['title:fire', [1]],
    ['Title:Fire', [1]],
    ['creator:"Boyle, Margaret"', [1]],
    ['creator:skvor*', [3]],
    ['subject:ports', [1]],
    ['subject:harbour', []],
    ['identifier:10.1234/abc-5', [2]],
    ['10.1234/abc-5', [2]],
    ['zurich lodz aero', [3]],
    ['東京大学', [4]],
    ['歴史', [4]],
    ['fulltext', [5]],
    ['fulltext alone -letters', []],
    ['OR', [1, 2, 3, 4, 5]],
    ['harbour OR', [1, 2]],
    ['OR harbour', [1, 2]],
    ['', [1, 2, 3, 4, 5]],
    ['!!! ??? * - "" :', [1, 2, 3, 4, 5]],
    ['harbour ***', [1, 2]],
    ['nothere', []],
    ['or', []],
  ])('%s finds %p', (text, rows) => {
    expect(found(text)).toEqual(rows);
  });

  it('ignores the text of media for a caller who may not view it', () => {
    expect(found('fulltext', false)).toEqual([]);
    expect(found('letters OR fulltext', false)).toEqual([5]);
    expect(found('letters -fulltext', false)).toEqual([5]);
    expect(found('-fulltext', false)).toEqual([1, 2, 3, 4, 5]);
  });

  it.each([
    ['1890..1930', 1890, 1930],
    ['1930..1890', 1890, 1930],
    ['1890..', 1890, undefined],
    ['..1930', undefined, 1930],
    ['date:1908', 1908, 1908],
    ['date:-50..20', -50, 20],
    ['1890.. ..1930', 1890, 1930],
    ['1890..1930 1900..1950', 1900, 1930],
    ['harbour date:1890..', 1890, undefined],
  ])('%s is a range of years', (text, from, to) => {
    const parsed = parseQuery(text);
    expect({ from: parsed.from, to: parsed.to }).toEqual({ from, to });
    expect(parsed.groups.length).toBe(text.includes('harbour') ? 1 : 0);
  });

  it.each(['1908', 'date:unknown', '..', 'date:..', '1890..x', '"1890..1930"', '-1890..1930'])(
    '%s is not a range of years',
    (text) => {
      const { from, to } = parseQuery(text);
      expect({ from, to }).toEqual({ from: undefined, to: undefined });
    },
  );

  it.each([
    'title:',
    'NEAR(harbour fire, 2)',
    'harbour AND',
    'harbour NOT NOT fire',
    '{title subject} : harbour',
    '- fulltext : harbour',
    '^harbour + fire',
    "harbour'; DROP TABLE node; --",
    '"unbalanced harbour',
    'harbour" fire" x"',
    'har\0bour',
    '\u{d800} \u{dc00}',
    'a:b:c title:title:title: "":""',
    '( ( ( ) [ ] { }',
    '𝔥𝔞𝔯𝔟𝔬𝔲𝔯 😀 ﷺ',
    '=cmd|calc',
    '"" ""*',
    '-""',
    '*',
    'https://example.org/a?b=c&d=%20#e',
  ])('%p causes no error', (text) => {
    expect(() => found(text)).not.toThrow();
  });

  it('of any characters causes no error', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '"',
        '*',
        '-',
        '(',
        ')',
        ':',
        '..',
        ' ',
        'OR',
        'AND',
        'NOT',
        'NEAR',
        'title:',
        'date:',
        '1890',
        '{',
        '}',
        '^',
        '+',
        '\0',
        "'",
        '\\',
        '“',
        '́',
      ),
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom('harbour', 'fire', '東京', 'ไทย', 'ß', 'İ', 'ŉ', 'ﬁ', 'ʼ'),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 25 }), fc.boolean(), (parts, searchesMedia) => {
        found(parts.join(''), searchesMedia);
        found(parts.join(' '), searchesMedia);
      }),
      { numRuns: 3_000 },
    );
  });

  it('of plain words finds the rows that contain them all', () => {
    const words = [...new Set(ROWS.slice(0, 3).flatMap((row) => row.join(' ').match(/\p{L}+/gu) ?? []))];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }), (chosen) => {
        const has = (row: readonly string[], word: string) =>
          foldText(row.join(' '))
            .split(/[^\p{L}\p{N}]+/u)
            .includes(foldText(word));
        const expected = ROWS.flatMap((row, index) => (chosen.every((word) => has(row, word)) ? index + 1 : []));
        expect(found(chosen.filter((word) => word !== 'OR').join(' '))).toEqual(expected);
      }),
    );
  });

  it('of 100 KB is cut, and reports it', () => {
    const words = Array.from({ length: 12_800 }, (_, index) => `harbour${index}`);
    const { groups, ignored } = parseQuery(words.join(' '));
    expect(groups.length).toBe(32);
    expect(ignored).toEqual([
      'Only the first 1,000 characters of the query were used.',
      'Only the first 32 words of the query were used.',
    ]);
    expect(found(`${'x'.repeat(100_000)}`)).toEqual([]);
  });

  it.each([
    ['the the THE the', ['the']],
    ['the OR the', ['the']],
    ['a OR b b OR a', ['a', 'b']],
    ['title:the the', ['the', 'the']],
    ['the* the', ['the', 'the']],
    ['fire "the the" "the the"', ['fire', 'the the']],
  ])('has equal terms once: %j', (text, folded) => {
    expect(
      parseQuery(text)
        .groups.flat()
        .map((term) => term.folded),
    ).toEqual(folded);
  });

  it('counts equal terms once, so that none after them is left out', () => {
    const { groups, without, ignored } = parseQuery(`${'the '.repeat(40)}harbour ${'-fire '.repeat(40)}`);
    expect({ terms: groups.flat().length, without: without.length, ignored }).toEqual({
      terms: 2,
      without: 1,
      ignored: [],
    });
  });
});
