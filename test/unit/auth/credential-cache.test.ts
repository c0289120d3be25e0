import { beforeEach, describe, expect, it } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { type CredentialCache, createCredentialCache } from '../../../src/auth/credential-cache.ts';
import { hashPassword, verifyAgainstNothing, verifyPassword } from '../../../src/auth/password.ts';

const MINUTE_MS = 60_000;
let now: number;
let verified: [string, string][];
let spent: string[];
let fail: Error | undefined;
let cache: CredentialCache;
/** Checks credentials, and remembers them if they are right. */
async function check(name: string, password: string, storedHash: string | undefined, address = '192.0.2.1') {
  const shown = { name, password, storedHash, address };
  const isRight = await cache.check(shown);
  if (isRight && !cache.isKnown(shown)) cache.remember(shown);
  return isRight;
}

beforeEach(() => {
  now = 1_000_000;
  verified = [];
  spent = [];
  fail = undefined;
  cache = createCredentialCache({
    now: () => now,
    async verify(password, hash) {
      verified.push([password, hash]);
      await setImmediate();
      if (fail) throw fail;
      return hash === `hash of ${password}`;
    },
    async verifyAgainstNothing(password) {
      spent.push(password);
      await setImmediate();
      return false;
    },
  });
});

describe('a right password', () => {
  it('is verified once within two minutes', async () => {
    expect(await check('admin', 'pw', 'hash of pw')).toBe(true);
    now += 2 * MINUTE_MS - 1;
    expect(await check('admin', 'pw', 'hash of pw')).toBe(true);
    expect(verified).toHaveLength(1);
    now += 1;
    expect(await check('admin', 'pw', 'hash of pw')).toBe(true);
    expect(verified).toHaveLength(2);
  });

  it('is rejected once the user has another password or is blocked', async () => {
    await check('admin', 'pw', 'hash of pw');
    expect(await check('admin', 'pw', 'hash of other')).toBe(false);
    expect(await check('admin', 'pw', undefined)).toBe(false);
    expect(spent).toEqual(['pw']);
  });

  it.each([
    ['another name', 'root', 'pw'],
    ['another password', 'admin', 'pw2'],
    ['the same letters divided otherwise', 'adminp', 'w'],
    ['no name', '', 'pw'],
  ])('does not validate %s', async (_, name, password) => {
    await check('admin', 'pw', 'hash of pw');
    await check(name, password, 'hash of pw');
    expect(verified).toHaveLength(2);
  });
});

describe('isKnown', () => {
  const shown = { name: 'admin', password: 'pw', storedHash: 'hash of pw', address: '192.0.2.1' };

  it('recognises only recently remembered credentials', async () => {
    expect(cache.isKnown(shown)).toBe(false);
    cache.remember(shown);
    expect(cache.isKnown(shown)).toBe(true);
    const others = [
      { name: 'root' },
      { password: 'no' },
      { password: '' },
      { password: 'x'.repeat(5_000) },
      { storedHash: undefined },
      { storedHash: 'hash of other' },
    ];
    for (const other of others) expect(cache.isKnown({ ...shown, ...other })).toBe(false);
    now += 2 * MINUTE_MS;
    expect(cache.isKnown(shown)).toBe(false);
  });

  it('does not recognise credentials that were verified but not remembered', async () => {
    expect(await cache.check(shown)).toBe(true);
    expect(cache.isKnown(shown)).toBe(false);
  });

  it('does not recognise credentials from another address', () => {
    cache.remember(shown);
    for (const address of ['192.0.2.2', undefined]) expect(cache.isKnown({ ...shown, address })).toBe(false);
  });
});

describe('a wrong password', () => {
  it('is verified each time', async () => {
    for (let i = 0; i < 3; i += 1) expect(await check('admin', 'no', 'hash of pw')).toBe(false);
    expect(verified).toHaveLength(3);
  });

  it('costs the same work for an unknown user', async () => {
    for (let i = 0; i < 3; i += 1) expect(await check('nobody', 'pw', undefined)).toBe(false);
    expect(spent).toEqual(['pw', 'pw', 'pw']);
  });

  it('costs nothing if it is empty or too long', async () => {
    for (const password of ['', 'x'.repeat(5_000)]) {
      expect(await check('admin', password, 'hash of pw')).toBe(false);
      expect(await check('nobody', password, undefined)).toBe(false);
    }
    expect({ verified: verified.length, spent: spent.length }).toEqual({ verified: 0, spent: 0 });
  });
});

describe('the cache', () => {
  it('verifies one pair once for concurrent callers', async () => {
    const many = (name: string, password: string, hash: string | undefined) =>
      Promise.all(Array.from({ length: 50 }, () => check(name, password, hash)));
    expect(new Set(await many('admin', 'pw', 'hash of pw'))).toEqual(new Set([true]));
    expect(new Set(await many('admin', 'no', 'hash of pw'))).toEqual(new Set([false]));
    expect(new Set(await many('nobody', 'pw', undefined))).toEqual(new Set([false]));
    expect({ verified: verified.length, spent: spent.length }).toEqual({ verified: 2, spent: 1 });
  });

  it('verifies two pairs separately', async () => {
    const [right, wrong] = await Promise.all([check('a', 'pw', 'hash of pw'), check('a', 'no', 'hash of pw')]);
    expect({ right, wrong }).toEqual({ right: true, wrong: false });
    expect(verified).toHaveLength(2);
  });
});

it('the cache passes a failure on to all waiting callers, and then tries again', async () => {
  fail = new Error('no capacity');
  const both = await Promise.allSettled([check('a', 'pw', 'hash of pw'), check('a', 'pw', 'hash of pw')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fail = undefined;
  expect(await check('a', 'pw', 'hash of pw')).toBe(true);
});

it('the cache works with real hashes, and answers a thousand times faster', async () => {
  let verifications = 0;
  const verify: typeof verifyPassword = (...of) => {
    verifications += 1;
    return verifyPassword(...of);
  };
  cache = createCredentialCache({ now: Date.now, verify, verifyAgainstNothing });
  const hash = await hashPassword('geheim');
  expect(await check('admin', 'geheim', hash)).toBe(true);
  for (let i = 0; i < 1_000; i += 1) expect(await check('admin', 'geheim', hash)).toBe(true);
  expect(verifications).toBe(1);
  expect(await check('admin', 'falsch', hash)).toBe(false);
});
