import { beforeEach, describe, expect, it } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { type AccountPace, createAccountPace } from '../../../src/auth/account-pace.ts';

let pace: AccountPace;
let now: number;
let sleepers: { at: number; wake: () => void }[];
beforeEach(() => {
  now = 1_000_000;
  sleepers = [];
  pace = createAccountPace({
    now: () => now,
    sleep: (ms) => new Promise((wake) => sleepers.push({ at: now + ms, wake })),
  });
});

/** Lets time pass, and wakes those whose time has come. */
async function pass(ms: number): Promise<void> {
  now += ms;
  for (const sleeper of sleepers.filter(({ at }) => at <= now)) sleeper.wake();
  sleepers = sleepers.filter(({ at }) => at > now);
  await setImmediate();
}

/** Starts attempts. Counts those whose turn has come, and lists the waits of refused ones, in seconds. */
function line(count: number, account = 'a') {
  const state = { come: 0, refused: [] as number[] };
  for (let i = 0; i < count; i += 1)
    void pace.takeTurn(account).then((turn) => {
      if (turn.hasCome) state.come += 1;
      else state.refused.push(turn.retryAfterSeconds);
    });
  return state;
}

describe('attempts on one account', () => {
  it('proceed one second apart, the first after one second', async () => {
    const attempts = line(3);
    await pass(999);
    expect(attempts.come).toBe(0);
    for (const come of [1, 2, 3]) {
      await pass(come === 1 ? 1 : 1_000);
      expect(attempts.come).toBe(come);
    }
  });

  it('stay one second apart after an earlier attempt', async () => {
    const first = line(1);
    await pass(500);
    const second = line(1);
    await pass(500);
    expect({ first: first.come, second: second.come }).toEqual({ first: 1, second: 0 });
    await pass(1_000);
    expect(second.come).toBe(1);
    const third = line(1);
    await pass(999);
    expect(third.come).toBe(0);
    await pass(1);
    expect(third.come).toBe(1);
  });

  it('wait in a queue of twenty; further ones are refused with a retry time', async () => {
    const attempts = line(30);
    await setImmediate();
    expect(attempts.refused).toEqual(Array(10).fill(21));
    await pass(1_000);
    expect({ refused: line(2).refused, come: attempts.come }).toEqual({ refused: [], come: 1 });
    for (let second = 0; second < 19; second += 1) await pass(1_000);
    expect(attempts.come).toBe(20);
  });

  it('do not wait for attempts on other accounts', async () => {
    const [one, other] = [line(5, 'a'), line(1, 'b')];
    await pass(1_000);
    expect({ one: one.come, other: other.come }).toEqual({ one: 1, other: 1 });
  });
});

it('the account pace allows at most 500 waiting attempts on all accounts', async () => {
  const accounts = Array.from({ length: 60 }, (_, i) => line(10, `account ${i}`));
  await setImmediate();
  expect(sleepers).toHaveLength(500);
  expect(accounts.flatMap(({ refused }) => refused)).toHaveLength(100);
  await pass(1_000);
  expect(accounts.reduce((sum, { come }) => sum + come, 0)).toBe(50);
});
