import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { endedSessionCookie, readCookie, sessionCookie } from '../../../src/http/cookies.ts';

describe('a cookie', () => {
  it.each<[string | null | undefined, string | undefined]>([
    ['SESS1=abc', 'abc'],
    ['a=b; SESS1=abc; c=d', 'abc'],
    ['a=b;SESS1=abc', 'abc'],
    ['SESS1="abc"', '"abc"'],
    ['SESS1=first; SESS1=second', 'first'],
    ['SESS1=', ''],
    ['SESS1=%zz', '%zz'],
    ['SSESS1=abc', undefined],
    ['sess1=abc', undefined],
    ['SESS1', undefined],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('is read from %p as %p', (header, value) => {
    expect(readCookie(header, 'SESS1')).toBe(value);
  });

  it.each(['__proto__', 'constructor', 'toString'])('is undefined for the inherited name %s', (name) => {
    expect(readCookie('a=b', name)).toBeUndefined();
  });

  it('is read from any header without an exception', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const value = readCookie(`${header}; SESS1=x`, 'SESS1');
        return value === undefined || typeof value === 'string';
      }),
    );
  });
});

describe('the session cookie', () => {
  const partsOf = (cookie: string) => cookie.split('; ').toSorted();

  it('lasts as long as its session, hidden from scripts and other sites', () => {
    expect(partsOf(sessionCookie('SESS1', 'a-_9', { isSecure: false, maxAge: 90 }))).toEqual(
      ['SESS1=a-_9', 'Max-Age=90', 'Path=/', 'HttpOnly', 'SameSite=Lax'].toSorted(),
    );
  });

  it('is Secure on a site with https', () => {
    expect(partsOf(sessionCookie('SSESS1', 'a', { isSecure: true, maxAge: 90 }))).toContain('Secure');
  });

  it('is removed under the same name and path', () => {
    expect(partsOf(endedSessionCookie('SSESS1', true))).toEqual(
      ['SSESS1=', 'Max-Age=0', 'Path=/', 'HttpOnly', 'SameSite=Lax', 'Secure'].toSorted(),
    );
  });

  it('comes back from the browser as it was set', () => {
    const [pair] = sessionCookie('SESS1', 'abc_-123', { isSecure: false, maxAge: 90 }).split(';');
    expect(readCookie(pair, 'SESS1')).toBe('abc_-123');
  });
});
