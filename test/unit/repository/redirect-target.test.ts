import { describe, expect, it } from 'bun:test';
import {
  addressOfTarget,
  normalizeTarget,
  sourceQuery,
  withQuery,
} from '../../../src/repository/addresses/redirect-target.ts';
import { sourcePath } from '../../../src/repository/redirect-source.ts';

describe('the source of a redirect', () => {
  it.each([
    ['/Old/Path/', 'old/path'],
    ['old/path', 'old/path'],
    ['//a//b//', 'a//b'],
    ['%C3%84', 'ä'],
    ['A\u0308', 'ä'],
    ['50%', '50%'],
    ['50%25', '50%'],
    ['/', ''],
  ])('for %s is %s', (path, expected) => {
    expect(sourcePath(path)).toBe(expected);
  });

  it('ignores the order of the query', () => {
    expect(sourceQuery(new URLSearchParams('b=2&a=1&b=1'))).toBe('{"a":"1","b":["2","1"]}');
    expect(sourceQuery(new URLSearchParams('a=1&b=2&b=1'))).toBe('{"a":"1","b":["2","1"]}');
    expect(sourceQuery(new URLSearchParams(''))).toBe('{}');
    expect(sourceQuery(new URLSearchParams('__proto__=1'))).toBe('{"__proto__":"1"}');
  });

  it('is undefined for a query that is too long', () => {
    expect(sourceQuery(new URLSearchParams(`a=${'x'.repeat(2045)}`))).toBeDefined();
    expect(sourceQuery(new URLSearchParams(`a=${'x'.repeat(2046)}`))).toBeUndefined();
    expect(sourceQuery(new URLSearchParams('a&'.repeat(1_000_000)))).toBeUndefined();
  });
});

describe('the target of a redirect', () => {
  const BASE = 'https://example.org/repo';
  it.each([
    ['internal:/node/1', 'internal:/node/1', `${BASE}/node/1`],
    ['/node/1?a=b#c', 'internal:/node/1?a=b#c', `${BASE}/node/1?a=b#c`],
    ['entity:media/5', 'entity:media/5', `${BASE}/media/5`],
    ['https://other.example/ä', 'https://other.example/ä', 'https://other.example/%C3%A4'],
    ['/../../x', 'internal:/../../x', `${BASE}/x`],
  ])('for %s is stored as %s and resolves to %s', (uri, kept, address) => {
    expect(normalizeTarget(uri)).toBe(kept);
    expect(addressOfTarget(kept, BASE)).toBe(address);
  });

  it('gets the missing parameters of the request', () => {
    expect(withQuery('https://a.example/x?a=1#top', new URLSearchParams('a=2&b=3&b=4'))).toBe(
      'https://a.example/x?a=1&b=3&b=4#top',
    );
    expect(withQuery('https://a.example/x', new URLSearchParams(''))).toBe('https://a.example/x');
  });
});
