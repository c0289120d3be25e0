import { expect, it } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { forEachAtOnce } from '../../../src/base/for-each-at-once.ts';

it('forEachAtOnce processes all items with limited concurrency', async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  await forEachAtOnce(
    Array.from({ length: 50 }, (_, index) => index),
    4,
    async (item) => {
      running += 1;
      most = Math.max(most, running);
      for (let turns = item % 3; turns >= 0; turns -= 1) await setImmediate();
      running -= 1;
      done.push(item);
    },
  );
  expect(most).toBe(4);
  expect(done.sort((left, right) => left - right)).toEqual(Array.from({ length: 50 }, (_, index) => index));
});

it('forEachAtOnce starts nothing after a failure, waits for running items, and throws it', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const work = forEachAtOnce(
    Array.from({ length: 50 }, (_, index) => index),
    3,
    async (item) => {
      begun.push(item);
      if (item === 1) throw new Error('one failed');
      await setImmediate();
      ended.push(item);
    },
  );
  await expect(work).rejects.toThrow('one failed');
  expect(begun).toEqual([0, 1, 2]);
  expect(ended.sort()).toEqual([0, 2]);
});

it('forEachAtOnce does nothing for an empty list', async () => {
  await forEachAtOnce([], 4, async () => expect.unreachable());
});
