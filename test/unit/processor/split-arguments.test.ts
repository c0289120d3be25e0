import { describe, expect, it } from 'bun:test';
import { MAX_ARGS_BYTES, requireSafeWords, splitArguments } from '../../../src/processor/read-request.ts';
import { serviceError } from '../../support/service-error.ts';

describe('splitArguments', () => {
  it.each([
    ['', []],
    ['   \t ', []],
    ['-resize 100x100', ['-resize', '100x100']],
    ['  a   b  ', ['a', 'b']],
    ['a\nb\tc', ['a', 'b', 'c']],
    [`-a 'b c' "d e"`, ['-a', 'b c', 'd e']],
    [`a"b"'c'd`, ['abcd']],
    [`'' ""`, ['', '']],
    ['a\\ b', ['a b']],
    [`'a\\b'`, ['a\\b']],
    [`"a\\"b\\\\c"`, ['a"b\\c']],
    [`"it's" 'say "x"'`, [`it's`, 'say "x"']],
    ['ä 日本', ['ä', '日本']],
  ])('splits %p as a shell does', (text, words) => {
    expect(splitArguments(text)).toEqual(words);
  });

  it.each([
    ['$(id) `id`', ['$(id)', '`id`']],
    ['$HOME ~ *', ['$HOME', '~', '*']],
    ['a;b a|b >x &', ['a;b', 'a|b', '>x', '&']],
    ['{a,b} !! #x', ['{a,b}', '!!', '#x']],
    ['@file', ['@file']],
    ['%args %source-uri', ['%args', '%source-uri']],
  ])('does not interpret %p', (text, words) => {
    expect(splitArguments(text)).toEqual(words);
  });

  it.each([[`"open`], [`'open`], [`a "b' c`], ['end\\'], [`"x\\"`], [`a'b'c'`]])('refuses %p', (text) => {
    expect(() => splitArguments(text)).toThrow(
      serviceError('malformed', /^The X-Repo-Args header has an unbalanced quote or ends in a backslash\.$/),
    );
  });

  it.each([['a\0b'], ["$'a\\0b'"], ["$'\\x00'"], ["$'\\c@'"]])('refuses a NUL character: %j', (text) => {
    expect(() => splitArguments(text)).toThrow(serviceError('malformed', /NUL/));
  });

  it('limits the text in bytes', () => {
    expect(splitArguments('x'.repeat(MAX_ARGS_BYTES))).toHaveLength(1);
    const tooLong = `${'ä'.repeat(MAX_ARGS_BYTES / 2)}x`;
    expect(() => splitArguments(tooLong)).toThrow(serviceError('malformed', /is 65537 bytes long; at most 65536 are/));
  });
});

describe('requireSafeWords', () => {
  it.each([
    [[]],
    [['-resize', '100x100', '--density=300']],
    [['two words', 'a/b_c.d', 'x:y', '@file', 'me@host']],
    [['..', '/etc/passwd', 'http://repo.example/x']],
  ])('accepts %j', (words) => {
    expect(() => requireSafeWords(words)).not.toThrow();
  });

  it.each([...'$`;|&<>(){}[]*?!~#%^+,\'"\\\n\r\t\0äé\u2028'])('refuses a word containing %j', (character) => {
    for (const word of [character, `a${character}`, `${character}a`, `a${character}b`]) {
      expect(() => requireSafeWords(['good', word])).toThrow(
        serviceError('malformed', /^The X-Repo-Args header may hold only letters, digits, blanks and/),
      );
    }
  });

  it('refuses an empty word', () => {
    expect(() => requireSafeWords(['a', ''])).toThrow(serviceError('malformed', /^The X-Repo-Args header/));
  });

  it('does not quote the input in its error', () => {
    expect(() => requireSafeWords(['$(secret)'])).toThrow(serviceError('malformed', /^(?!.*secret)/));
  });
});
