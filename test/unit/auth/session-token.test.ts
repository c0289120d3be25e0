import { describe, expect, it } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import {
  anonymousCsrfToken,
  csrfToken,
  isSameToken,
  isSessionId,
  logoutToken,
  newSessionId,
  sessionCookieName,
  storedSessionKey,
} from '../../../src/auth/session-token.ts';

const secret = randomBytes(32);

describe('a session id', () => {
  it('is new each time, and valid', () => {
    const ids = Array.from({ length: 1_000 }, newSessionId);
    expect(new Set(ids).size).toBe(1_000);
    for (const id of ids) expect(isSessionId(id)).toBe(true);
  });

  it.each([
    '',
    'a'.repeat(42),
    'a'.repeat(44),
    `${'a'.repeat(42)}=`,
    `${'a'.repeat(43)}\n`,
    `${'a'.repeat(42)}'`,
    'é'.repeat(43),
  ])('is not valid as %p', (text) => {
    expect(isSessionId(text)).toBe(false);
  });

  it('is stored as a hash that does not reveal it', () => {
    const id = newSessionId();
    expect(storedSessionKey(id)).toMatch(/^[\w-]{43}$/);
    expect(storedSessionKey(id)).toBe(storedSessionKey(id));
    expect(storedSessionKey(id)).not.toBe(id);
    expect(storedSessionKey(newSessionId())).not.toBe(storedSessionKey(id));
  });
});

describe('the tokens of a session', () => {
  const id = newSessionId();

  it('depend on session and secret, and have 43 URL-safe characters', () => {
    for (const tokenOf of [csrfToken, logoutToken]) {
      expect(tokenOf(id, secret)).toMatch(/^[\w-]{43}$/);
      expect(tokenOf(id, secret)).toBe(tokenOf(id, secret));
      expect(tokenOf(newSessionId(), secret)).not.toBe(tokenOf(id, secret));
      expect(tokenOf(id, randomBytes(32))).not.toBe(tokenOf(id, secret));
    }
  });

  it('differ from each other and from what the database holds', () => {
    const all = [csrfToken(id, secret), logoutToken(id, secret), storedSessionKey(id), id, anonymousCsrfToken()];
    expect(new Set(all).size).toBe(5);
  });

  it('look the same for anonymous callers, but are random', () => {
    expect(anonymousCsrfToken()).toMatch(/^[\w-]{43}$/);
    expect(anonymousCsrfToken()).not.toBe(anonymousCsrfToken());
  });
});

it.each([
  ['abc', 'abc', true],
  ['', '', true],
  ['abc', 'abd', false],
  ['abc', 'ab', false],
  ['', 'abc', false],
  ['é', 'e', false],
  ['éé', 'abcd', false],
  ['ABC', 'abc', false],
])('isSameToken compares %p with %p', (given, right, same) => {
  expect(isSameToken(given, right)).toBe(same);
});

describe('the cookie name', () => {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

  it.each([
    ['http://localhost', `SESS${hash('localhost')}`],
    ['http://localhost:8000', `SESS${hash('localhost')}`],
    ['https://repo.example.org', `SSESS${hash('repo.example.org')}`],
    ['https://REPO.example.org:8443/', `SSESS${hash('repo.example.org')}`],
    ['https://repo.example.org/base/', `SSESS${hash('repo.example.org/base')}`],
    ['http://[::1]:80', `SESS${hash('[::1]')}`],
  ])('for %p is derived from its host and path', (baseUrl, name) => {
    expect(sessionCookieName(baseUrl)).toBe(name);
  });
});
