import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { addDescribedItems } from '../../support/described-items.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { createTestRepository, IS_ON_SQLD, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

/** A crowd of networks, and those of others. */
const CROWD = (at: number) => `203.0.${at % 250}.7`;
const READER = '198.51.100.9';
const ROBOT = '192.0.2.1';
/** More than the budget of all allows at once. */
const ROBOT_SEARCHES = 200;

let repository: TestRepository;

beforeAll(async () => {
  const listFile = join(await emptyFolder(), 'robots.yaml');
  await writeFile(listFile, 'robots: { TestBot: { purpose: search, addresses: [192.0.2.0/24] } }');
  repository = await createTestRepository({
    trustedProxies: ['127.0.0.1', '::1'],
    robots: { ...DEFAULT_SERVER_CONFIG.robots, listFile, networkBudget: 1, totalBudget: 40 },
  });
  await addDescribedItems(repository.build);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const get = (path: string, address: string, headers: Record<string, string> = {}, as?: string) =>
  repository.get(path, as, { Accept: 'text/html', 'X-Forwarded-For': address, ...headers });
let sent = 0;
const search = (address: string, headers?: Record<string, string>, as?: string) => {
  sent += 1;
  return get(`/search?q=ferry&from=1500&to=${1800 + sent}`, address, headers, as);
};

/** Sends searches until one is refused. */
async function untilRefused(addressOf: (at: number) => string, headers?: Record<string, string>): Promise<Response> {
  for (let at = 0; at < 2_000; at += 1) {
    const response = await search(addressOf(at), headers);
    await response.clone().arrayBuffer();
    if (response.status !== 200) return response;
  }
  throw new Error('nothing was refused');
}

const figure = async (line: RegExp) => {
  const text = await (await repository.get('/metrics', 'admin')).text();
  return Number(line.exec(text)?.[1] ?? 0);
};

describe('a network that searches without a pause', () => {
  it('is refused with the time after which it may search again', async () => {
    const refused = await untilRefused(() => '203.0.113.5');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(refused.headers.get('Cache-Control')).toContain('private');
    expect(await refused.text()).toContain('Too many requests');
    expect((await untilRefused(() => '203.0.113.200')).status).toBe(429);
  });

  it('does not keep others from searching', async () => {
    // The budget of all strangers may have to be refilled first.
    for (const address of [READER, '2001:db8:1::5']) await until(async () => (await search(address)).status === 200);
  });

  it('is counted in the metrics', async () => {
    expect(
      await figure(/^repo_expensive_requests_total\{kind="search",outcome="network refused"\} (\d+)$/m),
    ).toBeGreaterThan(1);
    expect(await figure(/^repo_expensive_seconds_total\{kind="search"\} ([\d.]+)$/m)).toBeGreaterThan(0);
  });
});

describe('a crowd of networks', () => {
  beforeAll(async () => {
    expect((await untilRefused(CROWD)).status).toBe(429);
  });

  it.each([
    '/',
    '/collections',
    '/node/1',
    '/node/1?_format=json',
    '/node/1/manifest',
    '/oai/request?verb=ListRecords&metadataPrefix=oai_dc',
    '/sitemap.xml',
    '/robots.txt',
    '/feed.atom',
    '/sites/default/files/media-icons/generic.png',
  ])('is never refused at %s', async (path) => {
    expect((await get(path, CROWD(0))).status).toBe(200);
  });

  it('gets searches that are still cached', async () => {
    const path = '/search?q=ferry&from=1500&to=1801';
    // Answers of a database on a server are not cached.
    expect((await get(path, CROWD(0))).status).toBe(IS_ON_SQLD ? 429 : 200);
  });

  it('does not affect callers with credentials', async () => {
    expect((await search(CROWD(0), {}, 'admin')).status).toBe(200);
  });

  it('does not affect a robot at one of its addresses, and none elsewhere that only uses its name', async () => {
    const agent = { 'User-Agent': 'Mozilla/5.0 (compatible; TestBot/1.0)' };
    for (let at = 0; at < ROBOT_SEARCHES; at += 1) expect((await search(ROBOT, agent)).status).toBe(200);
    expect(await figure(/^repo_expensive_requests_total\{kind="search",outcome="exempt"\} (\d+)$/m)).toBeGreaterThan(0);
    expect((await untilRefused(CROWD, agent)).status).toBe(429);
  });

  it.each([
    ['a table of the results', '/search?q=ferry&_format=csv'],
    ['the results as JSON', '/search?q=ferry&_format=json&page=3'],
    ['a search within an item', '/node/4/iiif/search?q=ferry'],
  ])('is refused %s', async (_, path) => {
    const ask = () => get(path, CROWD(2), { Accept: '*/*' });
    let response = await ask();
    // The budget is refilled all the time.
    for (let at = 0; at < 50 && response.status !== 429; at += 1) {
      await untilRefused(CROWD);
      response = await ask();
    }
    expect({ path, status: response.status }).toEqual({ path, status: 429 });
  });
});
