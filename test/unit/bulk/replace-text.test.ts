import { describe, expect, it } from 'bun:test';
import { createTextReplacer, PatternProblem } from '../../../src/bulk/replace-text.ts';

const replacer = (find: string, replacement: string, options: { isPattern?: boolean; ignoresCase?: boolean } = {}) =>
  createTextReplacer({ find, replacement, isPattern: false, ignoresCase: false, ...options });
const pattern = (find: string, replacement: string) => replacer(find, replacement, { isPattern: true });

describe('a plain text', () => {
  it('is found as it is written, everywhere, and its replacement has no groups', () => {
    expect(replacer('a.b', '$1$&')('a.b axb a.b')).toBe('$1$& axb $1$&');
    expect(replacer('Harbour', 'Port')('harbour Harbours')).toBe('harbour Ports');
  });

  it('is found whatever its capital letters, if that is chosen', () => {
    expect(replacer('ÉTÉ', 'summer', { ignoresCase: true })('Été, été')).toBe('summer, summer');
  });
});

describe('a pattern', () => {
  it('replaces by its groups', () => {
    expect(pattern('(\\p{L}+), (\\p{L}+)', '$2 $1')('Löw, Ana')).toBe('Ana Löw');
    expect(pattern('(?P<year>\\d{4})', '[$<year>|$&|$$1]')('in 1901')).toBe('in [1901|1901|$1]');
    expect(pattern('(a)|b', '<$1>')('ab')).toBe('<a><>');
  });

  it('that matches everywhere is replaced between whole characters', () => {
    expect(pattern('', '-')('a😀b')).toBe('-a-😀-b-');
  });

  it('that matches a whole text replaces it once', () => {
    expect(pattern('.*', 'x')('a text')).toBe('x');
    expect(pattern('b*', 'x')('abba')).toBe('xaxax');
  });

  it.each([
    ['(', 'x', 'find'],
    ['(?=a)', 'x', 'find'],
    ['(a)\\1', 'x', 'find'],
    ['((a{100}){100}){100}', 'x', 'find'],
    ['(a)', '$2', 'replacement'],
    ['(a)', '$<name>', 'replacement'],
    ['(a)', '$<constructor>', 'replacement'],
  ] as const)('%s with %s is invalid', (find, replacement, field) => {
    expect(() => pattern(find, replacement)).toThrow(PatternProblem);
    expect(() => pattern(find, replacement)).toThrow(expect.objectContaining({ field }));
  });

  it.each(['(x+x+)+y', '(a|aa)+$', '(.*)(.*)(.*)z', '([a-z]+ )+!'])(
    '%s ends on a text on which others backtrack',
    (find) => {
      const text = `${'x'.repeat(20_000)} ${'a'.repeat(20_000)}b ${'abc '.repeat(5_000)}`;
      expect(pattern(find, 'x')(text).length).toBeGreaterThan(0);
    },
  );

  it('whose matches together take too long leaves the text as it is', () => {
    expect(() => pattern('a*b|.', 'x')('a'.repeat(300_000))).toThrow('The pattern takes too long in its text.');
  });

  it('that is too large for a text leaves it as it is', () => {
    expect(() => pattern('[a-z]{1000}', 'x')('a'.repeat(20_000))).toThrow('Its text is too long for this pattern.');
  });

  it('that would make a text too long leaves it as it is', () => {
    expect(() => pattern('.', 'x'.repeat(1_000))('a'.repeat(5_000))).toThrow('Its text would become too long.');
  });
});
