import { afterAll, beforeAll, describe, expect, it, setSystemTime } from 'bun:test';
import robots from '../../../config/counter-robots.json' with { type: 'json' };
import { createRandom } from '../../support/random.ts';
import type { TestRepository } from '../../support/test-repository.ts';
import { BROWSER, countHours, createUsageSite, rows } from '../../support/usage-site.ts';
import { countLog, type Logged } from './ten-lines.ts';

const REQUESTS = 10_000;
const ITEMS = 12;
const AGENTS = [
  ...[
    BROWSER,
    BROWSER.replaceAll('140.0', '141.0'),
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Mobile/15E148 Safari/604.1',
  ],
  ...['Mozilla/5.0 (compatible; bingbot/2.0)', 'curl/8.14.1'],
];
const DEADLINE_MS = 60_000;

let repository: TestRepository;
const start = Date.UTC(2031, 0, 30, 21, 50, 0) / 1_000;

interface Address {
  readonly path: string;
  readonly item: number | undefined;
  readonly isFile: boolean;
}

beforeAll(async () => {
  repository = await createUsageSite();
});
afterAll(async () => {
  setSystemTime();
  await repository.stop();
});

/** Makes items with a file each, one of them hidden. Returns the addresses of them, and of other things. */
async function makeAddresses(): Promise<Address[]> {
  const { build } = repository;
  const addresses: Address[] = [
    { path: '/', item: undefined, isFile: false },
    { path: '/node/98765', item: undefined, isFile: false },
  ];
  for (let number = 0; number < ITEMS; number += 1) {
    const item = await build.node('document', `Item ${number}`);
    const bytes = `%PDF-1.4\n%${number}\n`.repeat(40);
    const media = await build.media(item, { media: 'document', name: `${number}.pdf`, bytes });
    const path = new URL(media.field_media_document[0].url).pathname;
    addresses.push({ path: `/node/${item}`, item, isFile: false }, { path, item, isFile: true });
    if (number === 0) await build.change(`/node/${item}`, { type: 'islandora_object', status: [false] });
  }
  return addresses;
}

/** Writes the log of visits over two days: visitors who click again, players that ask for parts, robots. */
function writeLog(addresses: readonly Address[]): Omit<Logged, 'status'>[] {
  const random = createRandom(41);
  const log: Omit<Logged, 'status'>[] = [];
  let at = start;
  while (log.length < REQUESTS) {
    at += random.below(35);
    const agent = random.pick(AGENTS);
    const visitor = { address: `198.51.100.${random.below(9)}`, agent };
    const method = random.below(12) === 0 ? 'HEAD' : 'GET';
    const address = random.pick(addresses);
    const parts = ['bytes=0-', 'bytes=100-', 'bytes=0-99', 'bytes=-20'];
    const range = address.isFile && random.below(3) === 0 ? random.pick(parts) : undefined;
    for (let click = random.below(3); click >= 0; click -= 1) {
      log.push({ at, ...visitor, method, ...address, range });
      if (click > 0) at += random.below(40);
    }
  }
  return log.slice(0, REQUESTS);
}

describe('A log of 10,000 requests', () => {
  it(
    'gives the numbers that a script of ten lines gives',
    async () => {
      const asked = writeLog(await makeAddresses());
      const log: Logged[] = [];
      for (const line of asked) {
        setSystemTime(new Date(line.at * 1_000));
        const headers: Record<string, string> = {
          Accept: 'text/html',
          'X-Forwarded-For': line.address,
          'User-Agent': line.agent,
        };
        if (line.range !== undefined) headers.Range = line.range;
        const response = await fetch(repository.url + line.path, { method: line.method, headers });
        await response.arrayBuffer();
        log.push({ ...line, status: response.status });
      }
      await countHours(repository);
      const expected = countLog(log, new RegExp(robots.map(({ pattern }) => pattern).join('|'), 'i'));
      const counted = await rows(
        repository,
        `SELECT id || ' ' || day, total_investigations, unique_investigations, total_requests, unique_requests
          FROM usage_day WHERE kind = 1`,
      );
      expect(new Set(log.map(({ status }) => status))).toEqual(new Set([200, 206, 401, 404]));
      expect(expected.size).toBeGreaterThan(ITEMS);
      expect(Object.fromEntries(counted.map(([key, ...numbers]) => [key, numbers]))).toEqual(
        Object.fromEntries(expected),
      );
    },
    DEADLINE_MS,
  );
});
