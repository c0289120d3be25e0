import { afterEach, beforeEach, expect, it, jest } from 'bun:test';
import { createDiscardQueue } from '../../../../src/repository/files/discarded.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Lets the callbacks of timers run. */
async function pass(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms);
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

it('the discard queue removes an object after the grace period', async () => {
  const removed: string[] = [];
  const queue = createDiscardQueue(async (scheme, key) => {
    removed.push(`${scheme} ${key}`);
    return 'removed';
  });
  queue.add('public', 'a');
  await pass(999);
  expect(removed).toEqual([]);
  await pass(1);
  expect(removed).toEqual(['public a']);
  await pass(10_000);
  expect(removed).toHaveLength(1);
});

it('the discard queue retries failed removals with exponential backoff', async () => {
  let tries = 0;
  const queue = createDiscardQueue(async () => (++tries === 3 ? 'removed' : 'failed'));
  queue.add('public', 'a');
  const seen: number[] = [];
  for (const ms of [1_000, 1_999, 1, 3_999, 1, 100_000]) {
    await pass(ms);
    seen.push(tries);
  }
  expect(seen).toEqual([1, 1, 2, 2, 3, 3]);
});

it('the discard queue removes waiting objects when it is stopped', async () => {
  const removed: string[] = [];
  const queue = createDiscardQueue(async (_, key) => {
    removed.push(key);
    return 'removed';
  });
  queue.add('public', 'a');
  queue.add('s3', 'b');
  await queue.stop();
  await pass(100_000);
  expect(removed).toEqual(['a', 'b']);
});

it('a stopped discard queue calls a failing store once, and leaves the rest', async () => {
  const asked: string[] = [];
  const queue = createDiscardQueue(async (store, key) => {
    asked.push(key);
    return store === 's3' ? 'failed' : 'removed';
  });
  for (const key of ['a', 'b', 'c']) queue.add('s3', key);
  queue.add('public', 'd');
  await queue.stop();
  await pass(100_000);
  expect(asked).toEqual(['a', 'd']);
});

it('a stopped discard queue does not retry a failing store', async () => {
  const asked: string[] = [];
  const queue = createDiscardQueue(async (_, key) => {
    asked.push(key);
    return 'failed';
  });
  queue.add('s3', 'a');
  await pass(1_000);
  queue.add('s3', 'b');
  await queue.stop();
  await pass(100_000);
  expect(asked).toEqual(['a']);
});

it('the discard queue retries the objects of a failing store one at a time in rotation', async () => {
  const asked: string[] = [];
  let isAway = true;
  const queue = createDiscardQueue(async (_, key) => {
    asked.push(key);
    return isAway || key === 'bad' ? 'failed' : 'removed';
  });
  for (const key of ['bad', 'a', 'b']) queue.add('s3', key);
  await pass(1_000);
  expect(asked.splice(0)).toEqual(['bad', 'a', 'b']);
  await pass(2_000);
  await pass(4_000);
  expect(asked.splice(0)).toEqual(['bad', 'a']);
  isAway = false;
  await pass(8_000);
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  expect(asked.splice(0)).toEqual(['b', 'bad']);
  await pass(16_000);
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  expect(asked).toEqual(['a', 'bad']);
});

it('the discard queue checks one held object at intervals, and removes all afterwards', async () => {
  const asked: string[] = [];
  let isHeld = true;
  const queue = createDiscardQueue(async (_, key) => {
    asked.push(key);
    return isHeld ? 'held' : 'removed';
  });
  for (const key of ['a', 'b', 'c']) queue.add('public', key);
  await pass(1_000);
  expect(asked.splice(0)).toEqual(['a', 'b', 'c']);
  await pass(10_000);
  await pass(10_000);
  expect(asked.splice(0)).toEqual(['a', 'a']);
  isHeld = false;
  await pass(10_000);
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  expect(asked.splice(0).sort()).toEqual(['a', 'b', 'c']);
  await pass(100_000);
  expect(asked).toEqual([]);
});

it('a stopped discard queue leaves held objects to the next start', async () => {
  let tries = 0;
  const queue = createDiscardQueue(async () => {
    tries += 1;
    return 'held';
  });
  queue.add('public', 'a');
  await pass(1_000);
  await queue.stop();
  await pass(100_000);
  expect(tries).toBe(1);
});

it('the discard queue limits concurrent removals', async () => {
  const removals: (() => void)[] = [];
  const queue = createDiscardQueue(() => new Promise((resolve) => removals.push(() => resolve('removed'))), {
    graceMsOf: () => 5,
  });
  for (let index = 0; index < 200; index++) queue.add('public', `key ${index}`);
  await pass(5);
  expect(removals).toHaveLength(16);
  for (let removed = 0; removed < 200; removed++) {
    removals[removed]?.();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
  expect(removals).toHaveLength(200);
  await queue.stop();
});

it('a stopped discard queue leaves objects whose grace period is long', async () => {
  const gone: string[] = [];
  const queue = createDiscardQueue(
    async (_, key) => {
      gone.push(key);
      return 'removed';
    },
    { graceMsOf: (store) => (store === 'redirecting' ? 300_000 : 1_000) },
  );
  queue.add('redirecting', 'a');
  queue.add('public', 'b');
  await queue.stop();
  expect(gone).toEqual(['b']);
});
