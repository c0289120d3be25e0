import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addDescribedItems } from '../support/described-items.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { createRandom } from '../support/random.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { type LoadResult, load } from './raw-load.ts';
import { type Figure, report } from './report.ts';

/**
 * A crowd of robots beside people who read: random searches with facets from many networks, and 20 readers. `storm.ts 300` for five
 * minutes.
 */

const SECONDS = Number(process.argv[2] ?? 30);
const ITEMS = 400;
const NETWORKS = 1_000;
const SEARCHES_PER_SECOND = 500;
/** Connections of the crowd, of which each waits for its answers. */
const CROWD = 250;
/** The time in which the crowd uses what the budget has saved. Of five minutes it is too little to matter. */
const BURST_SECONDS = 5;
const READERS = 20;
const READ_EVERY_MS = 250;
const OTHERS_EVERY_MS = 500;
const OTHERS_SECONDS = 10;
const MOST_TIMES_IDLE = 2;
/** A tick of the clock of processor times (`getconf CLK_TCK` is 100). */
const MS_PER_TICK = 10;

const random = createRandom(1);
const folder = await emptyFolder();
const figures: Figure[] = [];
let facets: string[] = [];
try {
  const config = join(folder, 'repository.yaml');
  const list = join(folder, 'robots.yaml');
  await writeFile(list, 'robots: { TestBot: { purpose: search, addresses: [192.0.2.0/24] } }\n');
  await writeFile(config, `trustedProxies: ["127.0.0.1"]\nrobots: { list: ${list} }\n`);
  const args = ['--config', config, '--log-level', 'warn'];
  const server = await startServer({ mode: 'repository', data: join(folder, 'data'), args });
  await addDescribedItems(server.build, ITEMS);
  facets = await readFacets(server);
  await measure(server);
  await server.stop();
} finally {
  await rm(folder, { recursive: true, force: true });
}
report(`A crowd of ${SEARCHES_PER_SECOND} searches a second from ${NETWORKS} networks, ${SECONDS} s`, figures);

async function measure({ port, pid }: ServerProcess): Promise<void> {
  const readers = () =>
    load({ port, connections: READERS, seconds: SECONDS, next: nextPage, statuses: [200], everyMs: READ_EVERY_MS });
  await readers();
  const idle = await readers();
  const everyMs = (1_000 * CROWD) / SEARCHES_PER_SECOND;
  const crowd = load({
    port,
    connections: CROWD,
    seconds: SECONDS + BURST_SECONDS + OTHERS_SECONDS,
    next: nextSearch,
    statuses: [200, 429, 503],
    everyMs,
  });
  await Bun.sleep(BURST_SECONDS * 1_000);
  const before = await mainThreadMs(pid);
  const beside = await readers();
  const share = ((await mainThreadMs(pid)) - before) / (SECONDS * 1_000);
  // Not beside the readers, who would notice the harvester.
  const others = { port, connections: 1, seconds: OTHERS_SECONDS, statuses: [200], everyMs: OTHERS_EVERY_MS };
  const harvester = load({ ...others, next: () => get('/oai/request?verb=ListRecords&metadataPrefix=oai_dc', at(7)) });
  const robot = load({ ...others, next: () => get(searchPath(), '192.0.2.1', 'TestBot/1.0') });
  const storm = await crowd;
  const value = beside.p99 / idle.p99;
  figures.push({
    name: 'the p99 of 20 readers beside the crowd, to the one without',
    ours: `${value.toFixed(2)}: ${milliseconds(beside)} to ${milliseconds(idle)}`,
    value,
    limit: MOST_TIMES_IDLE,
  });
  for (const [name, result] of Object.entries({
    readers: beside,
    harvester: await harvester,
    'a named robot': await robot,
  }))
    figures.push({ name: `refused: ${name}`, ours: counted(result), value: result.counts.get(429) ?? 0, limit: 0 });
  console.log(`the crowd: ${storm.perSecond.toFixed(0)} a second, ${counted(storm)}, p99 ${storm.p99.toFixed(0)} ms`);
  console.log(`the thread of requests is busy for ${(share * 100).toFixed(0)} % of the time`);
}

/** The processor time of the thread that answers requests, in milliseconds. */
async function mainThreadMs(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/task/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

function milliseconds({ p50, p99 }: LoadResult): string {
  return `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`;
}

function counted({ counts }: LoadResult): string {
  return [...counts].map(([status, count]) => `${count} of ${status}`).join(', ');
}

function get(path: string, address: string, agent = 'Mozilla/5.0'): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nUser-Agent: ${agent}\r\nX-Forwarded-For: ${address}\r\n\r\n`;
}

/** An address of one of the networks of the crowd. */
function at(network: number): string {
  return `203.${network >> 8}.${network & 255}.${1 + random.below(250)}`;
}

/** A search with facets, as the crowd follows their values. A range of years makes nearly each address a new one. */
function searchPath(): string {
  const chosen = Array.from({ length: 1 + random.below(2) }, () => facets[random.below(facets.length)] ?? '');
  const years = `from=${-random.below(9_000)}&to=${1_900 + random.below(90)}`;
  return `/search?${[...new Set(chosen)].sort().join('&')}&${years}`;
}

/** Returns the values of facets as parameters, such as `f.model=2`. */
async function readFacets({ url }: ServerProcess): Promise<string[]> {
  const response = await fetch(`${url}/search?_format=json`);
  const found = (await response.json()) as { facets: { name: string; values: { value: string }[] }[] };
  return found.facets.flatMap(({ name, values }) =>
    values.map(({ value }) => `f.${name}=${encodeURIComponent(value)}`),
  );
}

function nextSearch(): string {
  return get(searchPath(), at(random.below(NETWORKS)));
}

/** Pages of items, and sometimes another one. */
function nextPage(reader: number, sent: number): string {
  const path = sent % 10 === 9 ? ['/', '/collections'][random.below(2)] : `/node/${4 + random.below(ITEMS)}`;
  return get(path ?? '/', `198.51.${reader}.9`);
}
