import { beforeEach, describe, expect, it } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import type { AccountPace } from '../../../src/auth/account-pace.ts';
import { attemptLogin, readFailures } from '../../../src/auth/attempt-login.ts';
import {
  accountIdentifier,
  FLOOD_LIMITS,
  type FloodEvent,
  type FloodStore,
  type Identifiers,
} from '../../../src/auth/flood.ts';

const HOUR = 3_600_000;

class MemoryStore implements FloodStore {
  rows: { event: FloodEvent; identifier: string; at: number; expiresAt: number }[] = [];
  writes = 0;

  async latest(identifiers: Identifiers, now: number) {
    await setImmediate();
    const latest = (event: FloodEvent) => {
      const { maxFailures, windowMs } = FLOOD_LIMITS[event];
      const isMeant = (row: (typeof this.rows)[number]) => row.event === event && row.identifier === identifiers[event];
      return this.rows
        .filter((row) => isMeant(row) && row.at >= now - windowMs)
        .map((row) => row.at)
        .toSorted((a, b) => b - a)
        .slice(0, maxFailures);
    };
    return {
      'login-by-user': latest('login-by-user'),
      'login-by-address': latest('login-by-address'),
      'login-by-account': latest('login-by-account'),
    };
  }

  async record(identifiers: Readonly<Partial<Record<FloodEvent, string>>>, at: number, expiresAt: number) {
    this.writes += 1;
    for (const [event, identifier] of Object.entries(identifiers))
      this.rows.push({ event: event as FloodEvent, identifier, at, expiresAt });
  }

  async clear(event: FloodEvent, identifier: string, until: number) {
    this.writes += 1;
    const isMeant = (row: (typeof this.rows)[number]) => row.event === event && row.identifier === identifier;
    this.rows = this.rows.filter((row) => !isMeant(row) || row.at > until);
  }
}

let store: MemoryStore;
let now: number;
let verified: number;
/** The accounts whose turn attempts waited for. */
let turns: string[];
let isLineFull: boolean;
const pace: AccountPace = {
  async takeTurn(account) {
    turns.push(account);
    await setImmediate();
    return isLineFull ? { hasCome: false, retryAfterSeconds: 20 } : { hasCome: true };
  },
};
beforeEach(() => {
  turns = [];
  isLineFull = false;
  store = new MemoryStore();
  now = 1_700_000_000_000;
  verified = 0;
});

const attempt = (
  isRight: boolean,
  { name = 'admin', address = '192.0.2.1' }: { name?: string; address?: string } = {},
) =>
  attemptLogin(
    {
      name,
      address,
      pace,
      async verify() {
        verified += 1;
        await setImmediate();
        return isRight;
      },
    },
    store,
    () => now,
  );

async function fail(times: number, who?: { name?: string; address?: string }) {
  for (let i = 0; i < times; i += 1) expect(await attempt(false, who)).toEqual({ type: 'wrong' });
}

describe('one user at one address', () => {
  it('is blocked after five failures, even with the right password, without verifying it', async () => {
    await fail(5);
    const blocked = { type: 'blocked', event: 'login-by-user', retryAfterSeconds: 6 * 3600 } as const;
    expect(await attempt(true)).toEqual(blocked);
    expect(await attempt(false)).toEqual(blocked);
    expect(verified).toBe(5);
  });

  it('stays able to log in elsewhere, as do other users at that address', async () => {
    await fail(5);
    expect(await attempt(true, { address: '192.0.2.2' })).toEqual({ type: 'right' });
    expect(await attempt(true, { name: 'editor' })).toEqual({ type: 'right' });
  });

  it('may retry only after the stated time', async () => {
    await fail(5);
    now += 6 * HOUR - 1;
    expect(await attempt(true)).toMatchObject({ type: 'blocked', retryAfterSeconds: 1 });
    now += 1;
    expect(await attempt(true)).toEqual({ type: 'right' });
  });

  it('has no failures left after a success', async () => {
    await fail(4);
    expect(await attempt(true)).toEqual({ type: 'right' });
    await fail(4);
    expect(await attempt(true)).toEqual({ type: 'right' });
  });

  it('is not blocked longer by attempts while blocked', async () => {
    await fail(5);
    const rows = store.rows.length;
    for (let i = 0; i < 10; i += 1) await attempt(false);
    expect(store.rows).toHaveLength(rows);
  });
});

it('attemptLogin blocks an address after fifty failures with any names, despite a success', async () => {
  for (let i = 0; i < 49; i += 1) await fail(1, { name: `user${i}` });
  expect(await attempt(true, { name: 'user3' })).toEqual({ type: 'right' });
  await fail(1, { name: 'user49' });
  expect(await attempt(true, { name: 'new' })).toEqual({
    type: 'blocked',
    event: 'login-by-address',
    retryAfterSeconds: 3600,
  });
  now += HOUR;
  expect(await attempt(true, { name: 'new' })).toEqual({ type: 'right' });
});

it('attemptLogin keeps failures recorded during a successful attempt', async () => {
  await fail(1);
  const { clear } = store;
  const [{ identifier } = { identifier: '' }] = store.rows.filter(({ event }) => event === 'login-by-user');
  store.clear = async function (...args) {
    for (let i = 0; i < 5; i += 1) await this.record({ 'login-by-user': identifier }, now + 1, now + HOUR);
    return clear.apply(this, args);
  };
  expect(await attempt(true)).toEqual({ type: 'right' });
  expect(await attempt(true)).toMatchObject({ type: 'blocked' });
});

it('attemptLogin writes nothing after a success without failures', async () => {
  for (let i = 0; i < 10; i += 1) expect(await attempt(true)).toEqual({ type: 'right' });
  expect(store.writes).toBe(0);
});

it('attemptLogin reports five of 30 concurrent guesses as wrong and blocks the others', async () => {
  const guesses = Array.from({ length: 30 }, (_, i) =>
    attemptLogin(
      {
        name: 'admin',
        address: '192.0.2.1',
        pace,
        async verify() {
          // They end one after the other.
          for (let turn = 0; turn < i; turn += 1) await setImmediate();
          return i === 29;
        },
      },
      store,
      () => now,
    ),
  );
  const types = (await Promise.all(guesses)).map(({ type }) => type);
  expect(types).toEqual([...Array(5).fill('wrong'), ...Array(25).fill('blocked')]);
});

it('attemptLogin accepts many concurrent attempts with the right password', async () => {
  const outcomes = await Promise.all(Array.from({ length: 60 }, () => attempt(true)));
  expect(new Set(outcomes.map(({ type }) => type))).toEqual(new Set(['right']));
});

it('attemptLogin counts attempts without an address together', async () => {
  const lost = (isRight: boolean) =>
    attemptLogin({ name: 'a', address: undefined, pace, verify: async () => isRight }, store, () => now);
  for (let i = 0; i < 5; i += 1) await lost(false);
  expect(await lost(true)).toMatchObject({ type: 'blocked' });
});

it('attemptLogin counts no failure if the check itself fails', async () => {
  const broken = attemptLogin(
    { name: 'a', address: '192.0.2.1', pace, verify: () => Promise.reject(new Error('no capacity')) },
    store,
    () => now,
  );
  await expect(broken).rejects.toThrow('no capacity');
  expect(store.rows).toHaveLength(0);
});

it('attemptLogin keeps failures of users, addresses and accounts for six hours', async () => {
  await fail(1);
  expect(store.rows.map(({ event, at, expiresAt }) => [event, (expiresAt - at) / HOUR])).toEqual([
    ['login-by-user', 6],
    ['login-by-address', 6],
    ['login-by-account', 6],
  ]);
});

describe('an account with a hundred failures from many addresses', () => {
  const addresses = Array.from({ length: 25 }, (_, i) => `198.51.100.${i}`);
  const attack = async (failures: number) => {
    for (let i = 0; i < failures; i += 1) await fail(1, { address: addresses[i % addresses.length] as string });
  };

  it('waits its turn, and counts each wrong password once', async () => {
    await attack(99);
    expect(await attempt(true)).toEqual({ type: 'right' });
    expect(turns).toEqual([]);
    await fail(1, { address: '203.0.113.1' });
    // The failure that fills the limit waits, too: others may have been checked at the same moment.
    expect(await attempt(true)).toEqual({ type: 'right' });
    expect(turns).toEqual([accountIdentifier('admin')]);
    const rows = store.rows.length;
    expect(await attempt(false, { name: 'ADMIN' })).toEqual({ type: 'wrong' });
    expect(turns).toHaveLength(2);
    expect(store.rows).toHaveLength(rows + 3);
  });

  it('stays slow for six hours despite successes, without slowing other accounts', async () => {
    await attack(100);
    expect(await attempt(true)).toEqual({ type: 'right' });
    expect(await attempt(true)).toEqual({ type: 'right' });
    expect(turns).toHaveLength(2);
    expect(await attempt(true, { name: 'editor' })).toEqual({ type: 'right' });
    expect(turns).toHaveLength(2);
    now += 6 * HOUR;
    expect(await attempt(true)).toEqual({ type: 'right' });
    expect(turns).toHaveLength(2);
  });

  it('is refused without verifying the password when the queue is full', async () => {
    await attack(100);
    isLineFull = true;
    const before = verified;
    const refused = { type: 'blocked', event: 'login-by-account', retryAfterSeconds: 20 } as const;
    expect(await attempt(true)).toEqual(refused);
    expect(await attempt(false)).toEqual(refused);
    expect(verified).toBe(before);
  });

  it('makes concurrent guesses take turns when they reach the hundredth failure', async () => {
    await attack(98);
    isLineFull = true;
    const guesses = Array.from({ length: 40 }, (_, i) => attempt(i === 39, { address: `203.0.113.${i}` }));
    const types = (await Promise.all(guesses)).map(({ type }) => type);
    // Two fill the limit, and those that saw no more failures than that are answered with them.
    expect(types.filter((type) => type === 'wrong').length).toBeLessThan(40);
    expect(store.rows.filter(({ event }) => event === 'login-by-account').length).toBeLessThan(98 + 40);
    expect(turns.length + types.filter((type) => type !== 'blocked').length).toBe(40);
  });
});

describe('attemptLogin', () => {
  const who = { name: 'admin', address: '192.0.2.1' };

  it('accepts failures that were read in advance', async () => {
    await fail(5);
    const before = await readFailures(who, store, now);
    store.rows = [];
    const outcome = await attemptLogin({ ...who, pace, before, verify: async () => true }, store, () => now);
    expect(outcome.type).toBe('blocked');
  });

  it('calls onRight for a right password only, even if the attempt is blocked', async () => {
    const outcomeOf = async (isRight: boolean) => {
      let begun = 0;
      const verify = async () => {
        await fail(5);
        return isRight;
      };
      const { type } = await attemptLogin({ ...who, pace, verify, onRight: () => void begun++ }, store, () => now);
      store.rows = [];
      return [type, begun];
    };
    expect(await outcomeOf(true)).toEqual(['blocked', 1]);
    expect(await outcomeOf(false)).toEqual(['blocked', 0]);
  });
});
