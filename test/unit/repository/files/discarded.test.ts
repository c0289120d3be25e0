import { afterEach, beforeEach, expect, it, jest } from 'bun:test';
import { createDiscardQueue } from '../../../../src/repository/files/discarded.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Lets what waits for a timer's promise go on. */
async function pass(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms);
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

it('removes an object once whoever found its row has had time to open it', async () => {
  const removed: string[] = [];
  const queue = createDiscardQueue(async (scheme, key) => removed.push(`${scheme} ${key}`) > 0);
  queue.add('public', 'a');
  await pass(999);
  expect(removed).toEqual([]);
  await pass(1);
  expect(removed).toEqual(['public a']);
  await pass(10_000);
  expect(removed).toHaveLength(1);
});

it('tries again what failed, after twice the time each time', async () => {
  let tries = 0;
  const queue = createDiscardQueue(async () => ++tries === 3);
  queue.add('public', 'a');
  const seen: number[] = [];
  for (const ms of [1_000, 1_999, 1, 3_999, 1, 100_000]) {
    await pass(ms);
    seen.push(tries);
  }
  expect(seen).toEqual([1, 1, 2, 2, 3, 3]);
});

it('removes what waits when it is stopped, and leaves what fails then to the next start', async () => {
  let tries = 0;
  const queue = createDiscardQueue(async () => ++tries < 0);
  queue.add('public', 'a');
  jest.advanceTimersByTime(1_000);
  queue.add('public', 'b');
  await queue.stop();
  await pass(100_000);
  // Once each, after the try that has failed before.
  expect(tries).toBe(3);
});
