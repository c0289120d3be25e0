import { describe, expect, it } from 'bun:test';
import { isAllowedSource, parseHttpAddress } from '../../../src/base/allowed-sources.ts';

const isAllowed = (url: string, ...prefixes: string[]) => isAllowedSource(new URL(url), prefixes.map(parseHttpAddress));

describe('a configured prefix', () => {
  it.each([
    ['http://repo.example', { origin: 'http://repo.example', pathname: '/' }],
    ['HTTPS://Repo.Example:443/Files', { origin: 'https://repo.example', pathname: '/Files' }],
    ['http://repo.example:8080/a/../b/', { origin: 'http://repo.example:8080', pathname: '/b/' }],
  ])('%s is parsed', (prefix, expected) => {
    const { origin, pathname } = parseHttpAddress(prefix);
    expect({ origin, pathname }).toEqual(expected);
  });

  it.each([
    [''],
    ['repo.example'],
    ['file:///etc'],
    ['ftp://repo.example'],
    ['http://'],
    ['javascript:alert(1)'],
    ['*'],
  ])('%p is rejected', (prefix) => {
    expect(() => parseHttpAddress(prefix)).toThrow(RangeError);
  });
});

describe('isAllowedSource without prefixes', () => {
  it.each([
    ['http://anywhere.example/x', true],
    ['https://10.0.0.1/x', true],
    ['file:///etc/passwd', false],
    ['ftp://repo.example/x', false],
    ['data:text/plain,x', false],
  ])('returns for %s: %p', (url, expected) => {
    expect(isAllowedSource(new URL(url), undefined)).toBe(expected);
  });
});

describe('a prefix of an origin', () => {
  it.each([
    ['http://repo.example/'],
    ['http://repo.example/a/b?c=d'],
    ['http://REPO.example/a'],
    ['http://repo.example:80/a'],
    ['http://repo.example/a%2Fb'],
  ])('covers %s', (url) => {
    expect(isAllowed(url, 'http://repo.example')).toBe(true);
  });

  it.each([
    ['http://repo.example.org/'],
    ['http://repo.example.'],
    ['http://notrepo.example/'],
    ['http://sub.repo.example/'],
    ['http://repo.example@evil.example/'],
    ['http://repo.example:80@evil.example/'],
    ['http://evil.example/http://repo.example/'],
    ['http://evil.example#repo.example'],
    ['http://evil.example\\@repo.example/'],
    ['https://repo.example/'],
    ['http://repo.example:8080/'],
    ['http://repo.examp\u04cfe/'],
  ])('does not cover %s', (url) => {
    expect(isAllowed(url, 'http://repo.example')).toBe(false);
  });
});

describe('a prefix with a path', () => {
  it.each([
    ['http://repo.example/files'],
    ['http://repo.example/files/'],
    ['http://repo.example/files/a/b.tif'],
    ['http://repo.example/files?x=/../'],
    ['http://repo.example/x/../files/a'],
    ['http://repo.example/files/a%20b.tif'],
  ])('covers %s', (url) => {
    expect(isAllowed(url, 'http://repo.example/files')).toBe(true);
  });

  it.each([
    ['http://repo.example/'],
    ['http://repo.example/filesystem'],
    ['http://repo.example/Files/a'],
    ['http://repo.example/files/../secret'],
    ['http://repo.example/files/%2e%2e/secret'],
    ['http://repo.example/files/.%2E/secret'],
    ['http://repo.example/files/..%2fsecret'],
    ['http://repo.example/files/%2e%2e%2fsecret'],
    ['http://repo.example/files/..\\secret'],
    ['http://repo.example/files/..%5Csecret'],
    ['http://repo.example/files/%252e%252e/secret'],
    ['http://repo.example/files/..%25252fsecret'],
    ['http://repo.example/files/..;/secret'],
    ['http://repo.example/files/..;a=b/secret'],
    ['http://repo.example/files%2Fa'],
    ['http://repo.example/?/files/a'],
    ['http://repo.example/#/files/a'],
    ['http://repo.example//files/a'],
  ])('does not cover %s', (url) => {
    expect(isAllowed(url, 'http://repo.example/files')).toBe(false);
  });

  it('that ends in a slash covers only paths below it', () => {
    expect(isAllowed('http://repo.example/files/a', 'http://repo.example/files/')).toBe(true);
    expect(isAllowed('http://repo.example/files', 'http://repo.example/files/')).toBe(false);
  });

  it('may be one of several', () => {
    const prefixes = ['http://repo.example/files', 'https://other.example/'];
    expect(isAllowed('https://other.example/x', ...prefixes)).toBe(true);
    expect(isAllowed('https://other.example.org/x', ...prefixes)).toBe(false);
  });
});

it('an empty list of prefixes covers nothing', () => {
  expect(isAllowed('http://repo.example/')).toBe(false);
});
