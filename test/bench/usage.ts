import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import { openLocalDatabase } from '../../src/database/local/open-local-database.ts';
import { recordOf } from '../../src/http/request-log.ts';
import { parseTrustedProxies } from '../../src/http/trusted-proxies.ts';
import { rollUp } from '../../src/repository/usage/roll-up.ts';
import { DaySalts, storeUses } from '../../src/repository/usage/store-uses.ts';
import { UseCounter } from '../../src/repository/usage/use-counter.ts';
import { loadModel } from '../../src/server/load-model.ts';
import { loadCounterRobots } from '../../src/server/open-usage.ts';
import { countUse, noteUse } from '../../src/web/count-use.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { createRandom } from '../support/random.ts';
import { EXECUTABLE, type ServerProcess, startServer } from '../support/server-process.ts';
import { BROWSER } from '../support/usage-site.ts';
import { fillRepository } from './fill.ts';
import { load } from './raw-load.ts';
import { type Figure, report } from './report.ts';

/**
 * The cost of usage statistics in processor time: what a request does for them, to a GET of a cached page; and that with the
 * storing and summing of its use, to a GET of the page of a random item. Nearly each request is a use by another visitor, which
 * costs most. The difference of two servers would be less exact: other work on the machine changes it by more.
 */

const NODES = 20_000;
/** So many that answers are cached. */
const CACHED_NODES = 100;
const VISITORS = 5_000;
const CLIENTS = 16;
const ROUNDS = 5;
const SECONDS = 3;
const USES = 50_000;
const MAX_PERCENT = 2;
const TICK_US = 10_000;
const TWO_HOURS_S = 7_200;
const PEER = '127.0.0.1';

const random = createRandom(41);
const folder = await emptyFolder();
const data = join(folder, 'data');
const figures: Figure[] = [];
let server: ServerProcess | undefined;
try {
  const { firstId } = await fillRepository(data, NODES);
  const config = join(folder, 'repository.yaml');
  await writeFile(config, `trustedProxies: ["${PEER}"]\nusage: { count: false }\n`);
  const output = { args: ['--log-level', 'info'], outputFile: join(folder, 'log') };
  server = await startServer({ executable: EXECUTABLE, mode: 'repository', data, config, ...output });
  const pages = { cached: [] as number[], random: [] as number[] };
  const anyOf = (count: number) => () => pageOf(firstId + random.below(count));
  for (let round = 0; round < ROUNDS; round++) {
    pages.cached.push(await usPerRequest(server, anyOf(CACHED_NODES)));
    pages.random.push(await usPerRequest(server, anyOf(NODES)));
  }
  await server.stop();
  const uses = { noting: [] as number[], all: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const { noting, keeping } = await usPerUse(firstId);
    uses.noting.push(noting);
    uses.all.push(noting + keeping);
  }
  figures.push(
    figureOf('A request for it, of a GET of a cached page', uses.noting, pages.cached),
    figureOf(
      `All of it, of a GET of the page of a random item of ${NODES.toLocaleString('en')}`,
      uses.all,
      pages.random,
    ),
  );
} finally {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
report('Usage statistics', figures);

/** Returns the figure of a part of the processor time of a request, each at its best. */
function figureOf(name: string, part: readonly number[], whole: readonly number[]): Figure {
  const [least, all] = [Math.min(...part), Math.min(...whole)];
  const percent = (100 * least) / all;
  const ours = `${percent.toFixed(2)} %, ${least.toFixed(1)} of ${all.toFixed(0)} µs`;
  return { name, ours, value: percent, limit: MAX_PERCENT };
}

function visitorAddress(): string {
  const visitor = random.below(VISITORS);
  return `198.51.${visitor >> 8}.${visitor & 255}`;
}

/** Returns the request of a browser at an address of its own. */
function pageOf(node: number): string {
  return `GET /node/${node} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nUser-Agent: ${BROWSER}\r\nX-Forwarded-For: ${visitorAddress()}\r\n\r\n`;
}

/** Loads a server for some seconds. Returns the processor time of a request in microseconds. */
async function usPerRequest({ port, pid }: ServerProcess, page: () => string): Promise<number> {
  let requests = 0;
  const next = () => {
    requests += 1;
    return page();
  };
  const before = await processorUs(pid);
  await load({ port, connections: CLIENTS, seconds: SECONDS, next, statuses: [200] });
  return ((await processorUs(pid)) - before) / requests;
}

/** Returns the processor time that a process has used, in microseconds. */
async function processorUs(pid: number): Promise<number> {
  const [, rest = ''] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ');
  const [user, system] = rest.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * TICK_US;
}

/** Returns the processor time of this process, in microseconds. */
function ownUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Returns the processor time of a use in microseconds: in its request, and to store it and to add it to the numbers. */
async function usPerUse(firstId: number): Promise<{ noting: number; keeping: number }> {
  const now = () => Math.floor(Date.now() / 1_000);
  const counter = new UseCounter(await loadCounterRobots(DEFAULT_SERVER_CONFIG), now);
  const api = { usage: { counter } };
  const actor = { isAuthenticated: false, id: 0 };
  const requests = Array.from({ length: USES }, () => {
    const headers = { Accept: 'text/html', 'User-Agent': BROWSER, 'X-Forwarded-For': visitorAddress() };
    const request = new Request(`http://localhost/node/${firstId + random.below(NODES)}`, { headers });
    // The server has read headers before, such as this one.
    request.headers.get('accept');
    return { request, record: recordOf(request), id: firstId + random.below(NODES) };
  });
  const notingAt = ownUs();
  for (const { request, record, id } of requests) {
    noteUse({ api, request, actor, peer: PEER } as never, 'page', id);
    countUse(api as never, record, 200);
  }
  const noting = (ownUs() - notingAt) / USES;
  const { uses } = counter.take();
  const model = await loadModel(DEFAULT_SERVER_CONFIG);
  const database = openLocalDatabase(join(data, 'repository.db'));
  const keepingAt = ownUs();
  await storeUses({ database, model, proxies: parseTrustedProxies([PEER]) }, new DaySalts(database), uses, () => {});
  await rollUp(database, now() + TWO_HOURS_S);
  const keeping = (ownUs() - keepingAt) / uses.length;
  await database.close();
  return { noting, keeping };
}
