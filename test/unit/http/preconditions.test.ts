import { describe, expect, it } from 'bun:test';
import { etagOf, parseEtagList, strongEtag } from '../../../src/http/etag.ts';
import {
  checkPreconditions,
  formatHttpDate,
  type PreconditionOutcome,
  parseHttpDate,
} from '../../../src/http/preconditions.ts';

const SAME = 'Wed, 01 Apr 2026 10:00:00 GMT';
const EARLIER = 'Wed, 01 Apr 2026 09:59:59 GMT';
const current = { etag: '"abc"', lastModified: new Date('2026-04-01T10:00:00.700Z') };

describe('checkPreconditions', () => {
  const rows: [string, Record<string, string>, PreconditionOutcome, PreconditionOutcome][] = [
    // what, headers, outcome for GET and HEAD, outcome for the rest
    ['nothing', {}, 'proceed', 'proceed'],
    ['If-Match with the tag', { 'If-Match': '"abc"' }, 'proceed', 'proceed'],
    ['If-Match with the tag among others', { 'If-Match': '"x", "abc"' }, 'proceed', 'proceed'],
    ['If-Match with another tag', { 'If-Match': '"abd"' }, 'failed', 'failed'],
    ['If-Match with a weak tag', { 'If-Match': 'W/"abc"' }, 'failed', 'failed'],
    ['If-Match with any', { 'If-Match': '*' }, 'proceed', 'proceed'],
    ['If-Match without quotes', { 'If-Match': 'abc' }, 'failed', 'failed'],
    ['If-Match of nothing', { 'If-Match': '' }, 'failed', 'failed'],
    ['If-Unmodified-Since its date', { 'If-Unmodified-Since': SAME }, 'proceed', 'proceed'],
    ['If-Unmodified-Since before', { 'If-Unmodified-Since': EARLIER }, 'failed', 'failed'],
    ['If-Unmodified-Since no date', { 'If-Unmodified-Since': '2020' }, 'proceed', 'proceed'],
    ['If-Match over a date', { 'If-Match': '"abc"', 'If-Unmodified-Since': EARLIER }, 'proceed', 'proceed'],
    ['If-None-Match with the tag', { 'If-None-Match': '"abc"' }, 'not-modified', 'failed'],
    ['If-None-Match with the weak tag', { 'If-None-Match': 'W/"abc"' }, 'not-modified', 'failed'],
    ['If-None-Match with any', { 'If-None-Match': '*' }, 'not-modified', 'failed'],
    ['If-None-Match with another tag', { 'If-None-Match': '"abd"' }, 'proceed', 'proceed'],
    ['If-Modified-Since its date', { 'If-Modified-Since': SAME }, 'not-modified', 'proceed'],
    ['If-Modified-Since before', { 'If-Modified-Since': EARLIER }, 'proceed', 'proceed'],
    ['If-None-Match over a date', { 'If-None-Match': '"abd"', 'If-Modified-Since': SAME }, 'proceed', 'proceed'],
    ['If-Match before If-None-Match', { 'If-Match': '"x"', 'If-None-Match': '"abc"' }, 'failed', 'failed'],
    ['both that hold', { 'If-Match': '"abc"', 'If-None-Match': '"abc"' }, 'not-modified', 'failed'],
    ['both dates', { 'If-Unmodified-Since': SAME, 'If-Modified-Since': SAME }, 'not-modified', 'proceed'],
  ];
  it.each(rows)('evaluates %s', (_, headers, forReads, forWrites) => {
    for (const method of ['GET', 'HEAD'])
      expect(checkPreconditions(method, new Headers(headers), current)).toBe(forReads);
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
      expect(checkPreconditions(method, new Headers(headers), current)).toBe(forWrites);
    }
  });

  it.each([
    ['If-Match with any', { 'If-Match': '*' }, 'failed'],
    ['If-Match with a tag', { 'If-Match': '"abc"' }, 'failed'],
    ['If-None-Match with any', { 'If-None-Match': '*' }, 'proceed'],
    ['If-Unmodified-Since', { 'If-Unmodified-Since': EARLIER }, 'proceed'],
    ['If-Modified-Since', { 'If-Modified-Since': SAME }, 'proceed'],
  ])('evaluates %s for a missing resource', (_, headers, expected) => {
    expect(checkPreconditions('PUT', new Headers(headers as Record<string, string>), undefined)).toBe(
      expected as PreconditionOutcome,
    );
  });
});

describe('entity tags', () => {
  it.each([
    ['*', '*'],
    [' * ', '*'],
    ['"a"', [{ isWeak: false, opaque: 'a' }]],
    ['W/"a"', [{ isWeak: true, opaque: 'a' }]],
    ['""', [{ isWeak: false, opaque: '' }]],
    [
      '"a,b" ,, W/"c"',
      [
        { isWeak: false, opaque: 'a,b' },
        { isWeak: true, opaque: 'c' },
      ],
    ],
    ['w/"a"', []],
    ['"a" "b"', []],
    ['"a', []],
    ['"a"b', []],
    ['"a", *', []],
    ['"a b"', []],
    ['', []],
  ])('are read from %p', (text, expected) => {
    expect(parseEtagList(text)).toEqual(expected as ReturnType<typeof parseEtagList>);
    expect(parseEtagList(text)).toEqual(expected as ReturnType<typeof parseEtagList>);
  });

  it('are parsed in linear time from a hostile list', () => {
    expect(parseEtagList('"a",'.repeat(200_000))).toHaveLength(200_000);
    expect(parseEtagList(' '.repeat(500_000))).toEqual([]);
    expect(parseEtagList('"'.repeat(500_001))).toEqual([]);
  });

  it('differ for different bodies', () => {
    expect(etagOf('a')).toBe(etagOf(new TextEncoder().encode('a')));
    expect(etagOf('a')).not.toBe(etagOf('b'));
    expect(etagOf('')).toMatch(/^"[0-9a-f]{16}"$/);
    expect(strongEtag('x')).toBe('"x"');
  });
});

describe('HTTP dates', () => {
  it.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    'are read in each form: %s',
    (text) => expect(parseHttpDate(text)).toBe(784_111_777),
  );

  it.each(['', '0', '1994', '1994-11-06T08:49:37Z', 'Sun, 06 Nov 1994 08:49:37 CET', 'Sun, 66 Nov 1994 08:49:37 GMT'])(
    'are undefined for %p',
    (text) => expect(parseHttpDate(text)).toBeUndefined(),
  );

  it('are written in the format that is read', () => {
    expect(formatHttpDate(new Date(784_111_777_999))).toBe('Sun, 06 Nov 1994 08:49:37 GMT');
  });
});
