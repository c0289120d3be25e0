import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { emptyFolder } from '../support/empty-folder.ts';
import { linksIn } from '../support/link-lines.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { basic } from '../support/test-repository.ts';
import { until } from '../support/until.ts';
import { fillRepository } from './fill.ts';
import { type Figure, peakRssMb, report } from './report.ts';

/** Pages of the list of nodes: the first one, and one behind half of the nodes. `lists.ts 1000000` with that number of nodes. */

const NODES = Number(process.argv[2] ?? 100_000);
const ROUNDS = 9;
const INDEX_SECONDS = 3_600;
const MAX_PAGE_MS = { 100: 25, 500: 100 } as const;
const SORTS = ['id', 'created', '-changed', 'title'];

const folder = await emptyFolder();
const figures: Figure[] = [];
try {
  const data = join(folder, 'data');
  await mkdir(data);
  await fillRepository(data, NODES);
  forgetIndex(join(data, 'repository.db'));
  const ours = await startServer({ mode: 'repository', data });
  await until(async () => (await totalOf(ours)) >= NODES, { seconds: INDEX_SECONDS });
  for (const [size, limit] of Object.entries(MAX_PAGE_MS)) await measurePages(ours, Number(size), limit);
  const rss = await peakRssMb(ours.pid);
  figures.push({ name: 'peak memory after that', ours: `${rss} MB`, limit: 400, value: rss });
  await ours.stop();
} finally {
  await rm(folder, { recursive: true, force: true });
}
report(`Lists of ${NODES} nodes`, figures);

/** Lets the server build the index at its start: the copied nodes are not in it. */
function forgetIndex(file: string): void {
  const database = new Libsql(file);
  database.exec("UPDATE search_index SET version = ''");
  database.close();
}

function read(address: string): Promise<Response> {
  return fetch(address, { headers: { Authorization: basic('admin') } });
}

async function totalOf({ url }: ServerProcess): Promise<number> {
  return Number((await read(`${url}/node?_format=json&size=1`)).headers.get('x-total-count'));
}

async function measurePages({ url }: ServerProcess, size: number, limit: number): Promise<void> {
  for (const sort of SORTS) {
    const start = `${url}/node?_format=json&sort=${sort}&size=${size}`;
    const first = await fastest(start);
    const deep = await fastest(await behind(`${url}/node?_format=json&sort=${sort}&size=500`, size));
    figures.push({ name: `first ${size} by ${sort}`, ours: `${first.toFixed(1)} ms`, limit, value: first });
    figures.push({
      name: `${size} behind half of all by ${sort}, to the first`,
      ours: `${deep.toFixed(1)} ms`,
      baseline: `${first.toFixed(1)} ms`,
      ratio: first / deep,
      target: 0.9,
    });
  }
}

/** Follows the links over half of the nodes, and returns the address of the next page, of a size. */
async function behind(start: string, size: number): Promise<string> {
  let address = start;
  for (let passed = 0; passed < NODES / 2; passed += 500) {
    const response = await read(address);
    await response.arrayBuffer();
    address = linksIn(response).find(({ rel }) => rel === 'next')?.href ?? address;
  }
  return address.replace('size=500', `size=${size}`);
}

async function fastest(address: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await (await read(address)).arrayBuffer();
    least = Math.min(least, performance.now() - startedAt);
  }
  return least;
}
