import { expect, it } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { HashQueue } from '../../../src/auth/hash-queue.ts';
import { serviceError } from '../../support/service-error.ts';

/** Work that ends when told to, and says when it began. */
function controlledWork() {
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const work = (id: number) => () => {
    started.push(id);
    return new Promise<number>((resolve) => ends.push(() => resolve(id)));
  };
  return { started, ends, work };
}

it('a hash queue runs a few tasks at a time, and others in order of arrival', async () => {
  const queue = new HashQueue({ maxConcurrent: 2, maxWaiting: 10 });
  const { started, ends, work } = controlledWork();
  const results = [1, 2, 3, 4].map((id) => queue.run(work(id)));
  await setImmediate();
  expect(started).toEqual([1, 2]);
  expect({ running: queue.running, waiting: queue.waiting }).toEqual({ running: 2, waiting: 2 });
  ends[0]?.();
  await setImmediate();
  expect(started).toEqual([1, 2, 3]);
  for (const end of ends.slice(1)) end();
  await setImmediate();
  expect(started).toEqual([1, 2, 3, 4]);
  ends.at(-1)?.();
  expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
  expect({ running: queue.running, waiting: queue.waiting }).toEqual({ running: 0, waiting: 0 });
});

it('a hash queue rejects tasks beyond its limit, with Retry-After', async () => {
  const queue = new HashQueue({ maxConcurrent: 1, maxWaiting: 1 });
  const { ends, work } = controlledWork();
  const admitted = [queue.run(work(1)), queue.run(work(2))];
  const refused = queue.run(work(3));
  await expect(refused).rejects.toThrow(serviceError('over-capacity', /^Too many passwords/));
  await expect(refused).rejects.toMatchObject({ headers: { 'Retry-After': '5' } });
  ends[0]?.();
  await setImmediate();
  ends[1]?.();
  expect(await Promise.all(admitted)).toEqual([1, 2]);
});

it('a hash queue continues after a failed task', async () => {
  const queue = new HashQueue({ maxConcurrent: 1, maxWaiting: 5 });
  const failing = queue.run(() => Promise.reject(new Error('broken')));
  const next = queue.run(async () => 'fine');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('fine');
  expect(queue.running).toBe(0);
});
