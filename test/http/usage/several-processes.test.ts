import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { parseTrustedProxies } from '../../../src/http/trusted-proxies.ts';
import { UsageStore } from '../../../src/repository/usage/usage-task.ts';
import { UseCounter } from '../../../src/repository/usage/use-counter.ts';
import type { TestRepository } from '../../support/test-repository.ts';
import { createUsageSite, numbersOf, rows } from '../../support/usage-site.ts';

let repository: TestRepository;
let now = Date.UTC(2031, 4, 6, 10) / 1_000;
beforeAll(async () => {
  repository = await createUsageSite();
});
afterAll(() => repository.stop());

/** Returns the counter and the store of a process that shares the database. */
function createProcess() {
  const { database, model } = repository.running.services;
  const counter = new UseCounter(
    () => false,
    () => now,
  );
  const services = { database, model, proxies: parseTrustedProxies(['127.0.0.1']), warn: () => {}, now: () => now };
  return { counter, store: new UsageStore(services, counter) };
}

const use = (id: number) => ({ kind: 'page', id, userId: 0, peer: '127.0.0.1', forwarded: '198.51.100.7' }) as const;

describe('Processes that share a database', () => {
  it('count a visitor, a double click and an hour once', async () => {
    const processes = [createProcess(), createProcess()];
    for (const { counter } of processes) {
      counter.add(use(801), 'Mozilla/5.0');
      now += 20;
    }
    now += 60;
    for (const { counter } of processes)
      counter.add({ ...use(801), peer: '198.51.100.7', forwarded: '' }, 'Mozilla/5.0');
    for (const { store } of processes) await store.store();
    now += 7_200;
    await Promise.all(processes.map(({ store }) => store.rollUp()));
    expect(await numbersOf(repository, 'item', 801)).toEqual([2, 1, 0, 0]);
    expect(await rows(repository, 'SELECT count(*) FROM usage_click')).toEqual([[0]]);
  });

  it('keep uses that the database did not take, and store them later', async () => {
    const { counter, store } = createProcess();
    const broken = new UsageStore(
      {
        ...repository.running.services,
        proxies: parseTrustedProxies([]),
        database: { ...repository.running.services.database, write: () => Promise.reject(new Error('full')) },
        warn: () => {},
        now: () => now,
      } as never,
      counter,
    );
    counter.add(use(802), 'Mozilla/5.0');
    await expect(broken.store()).rejects.toThrow('full');
    await store.store();
    now += 7_200;
    await store.rollUp();
    expect(await numbersOf(repository, 'item', 802)).toEqual([1, 1, 0, 0]);
  });
});
