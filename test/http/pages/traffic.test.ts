import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTrafficTask, findLargest, storeTraffic } from '../../../src/repository/traffic/traffic-store.ts';
import { elementsOf } from '../../support/page.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({ trustedProxies: ['127.0.0.1', '::1'] });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const send = (path: string, address: string, agent: string) =>
  repository.get(path, undefined, { 'X-Forwarded-For': address, 'User-Agent': agent, Accept: 'text/html' });
const rows = async () => {
  const html = await (await repository.get('/admin/reports/traffic', 'admin', { Accept: 'text/html' })).text();
  return elementsOf(html, 'tbody tr').map(({ text }) => text);
};

describe('the page of traffic', () => {
  it('shows requests by network and program, with those of expensive work', async () => {
    for (const address of ['203.0.113.1', '203.0.113.2', '2001:db8:1:2::3']) await send('/', address, 'Reader/1.0');
    await send('/search?q=a', '203.0.113.9', 'Robot <b>/1.0');
    const shown = await rows();
    expect(shown.some((text) => text.startsWith('203.0.113.0/2430'))).toBe(true);
    expect(shown.some((text) => text.startsWith('2001:db8:1::/4810'))).toBe(true);
    expect(shown.some((text) => text.startsWith('Reader/1.030'))).toBe(true);
    expect(shown.some((text) => text.startsWith('Robot <b>/1.010'))).toBe(true);
    expect(shown.some((text) => text.startsWith('search10'))).toBe(true);
    expect(shown.join()).not.toContain('203.0.113.1');
  });
});

describe('the task of traffic', () => {
  const source = (requests: number) => {
    const row = { kind: 'network', name: 'n', requests, refused: 0, milliseconds: 1.6 } as const;
    return { take: () => (requests === 0 ? [] : [row]) };
  };
  const database = () => repository.running.services.database;
  const kept = async () => (await findLargest(database(), 'network', 0, 100)).find(({ name }) => name === 'n');
  const step = (requests: number, keptSeconds: number, now: number) =>
    createTrafficTask(database(), source(requests), keptSeconds, () => now).step(new AbortController().signal);

  it('adds what processes have counted', async () => {
    const now = Date.now() / 1_000;
    await step(2, DAY_S, now);
    await step(3, DAY_S, now);
    expect(await kept()).toEqual({ name: 'n', requests: 5, refused: 0, milliseconds: 4 });
  });

  it('removes what is older than the setting', async () => {
    const now = Date.now() / 1_000;
    await storeTraffic(database(), source(7).take(), Math.floor(now / HOUR_S) - 23);
    await step(0, DAY_S, now);
    expect((await kept())?.requests).toBe(12);
    await step(0, DAY_S, now + HOUR_S);
    expect((await kept())?.requests).toBe(5);
    await step(0, DAY_S, now + DAY_S);
    expect(await kept()).toBeUndefined();
  });
});
