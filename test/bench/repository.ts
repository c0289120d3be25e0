import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { type StartedExecutable, startServe } from '../support/executable.ts';
import { ADMIN_PASSWORD, basic } from '../support/test-repository.ts';
import { detailedNode, fillRepository } from './fill.ts';
import { load } from './raw-load.ts';
import { best, type Figure, peakRssMb, report } from './report.ts';
import { bareServer, bytesPerSecond, makeSite, requests, type Site } from './repository-load.ts';

/**
 * The repository's figures, each a ratio to a baseline of the same run. `make bench` prints them all;
 * `repository.ts requests`, `files` or `growth` alone measures those, `growth 100000` with that number of nodes.
 */

const ROUNDS = 5;
const SECONDS = 2;
const CLIENTS = 32;
const [only, count] = process.argv.slice(2);
const MANY_NODES = Number(count ?? 1_000_000);
/** More than the caches hold, so that the same work is compared. */
const FEW_NODES = 100_000;
/** Prime: from node to node it comes to each of them. */
const STRIDE = 7_919;
const LARGE_BYTES = 2 * 1024 ** 3;
const MAX_START_MS = 1_000;
const MAX_LIST_MS = 50;

const folder = await emptyFolder();
const figures: Figure[] = [];
try {
  if (only === undefined || only === 'requests') await measureRequests();
  if (only === undefined || only === 'files') await measureFiles();
  if (only === undefined || only === 'growth') await measureGrowth();
} finally {
  await rm(folder, { recursive: true, force: true });
}
report('Repository', figures);

function start(data: string): Promise<StartedExecutable> {
  const env = { PATH: process.env.PATH ?? '', REPO_ADMIN_PASSWORD: ADMIN_PASSWORD };
  return startServe({ args: ['--mode', 'repository', '--data', data, '--log-level', 'info'], env });
}

/** Rounds of ours and of the baseline take turns, so that both see the same machine. */
async function inTurns(ours: () => Promise<number>, bare: () => Promise<number>): Promise<[number, number]> {
  const [mine, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(await bare());
    mine.push(await ours());
  }
  return [best(mine), best(theirs)];
}

async function measureRequests(): Promise<void> {
  const ours = await start(join(folder, 'requests'));
  const site = await makeSite(ours.url);
  const path = `/node/${site.node}?_format=json`;
  const body = await (await fetch(`${ours.url.slice(0, -1)}${path}`)).text();
  // Under the name and in the coding that the load asks for: both are part of what is tagged.
  const asked = await fetch(`${ours.url.slice(0, -1)}${path}`, {
    headers: { Host: 'localhost', 'Accept-Encoding': 'identity' },
  });
  const etag = asked.headers.get('etag') ?? '';
  const bodyFile = join(folder, 'body.json');
  await Bun.write(bodyFile, body);
  const bare = await bareServer('body', bodyFile);
  const rate = async (port: number, head: string, statuses: number[]) =>
    (await load({ port, connections: CLIENTS, seconds: SECONDS, next: () => head, statuses })).perSecond;
  const bareGet = () => rate(bare.port, requests.get(path), [200]);
  await bareGet();
  await rate(ours.port, requests.get(path), [200]);

  const [get, bareRate] = await inTurns(() => rate(ours.port, requests.get(path), [200]), bareGet);
  ratio(`GET of a node (${body.length} bytes), ${CLIENTS} clients`, get, bareRate, '/s', 0.3);
  const [head, sameGet] = await inTurns(
    () => rate(ours.port, requests.head(path), [200]),
    () => rate(ours.port, requests.get(path), [200]),
  );
  ratio('HEAD, to our GET', head, sameGet, '/s', 1);
  const [conditional, otherGet] = await inTurns(
    () => rate(ours.port, requests.conditional(path, etag), [304]),
    () => rate(ours.port, requests.get(path), [200]),
  );
  ratio('GET that is answered 304, to our GET', conditional, otherGet, '/s', 1);
  const [withPassword, bareAgain] = await inTurns(() => rate(ours.port, requests.basic(path), [200]), bareGet);
  ratio('GET with basic credentials', withPassword, bareAgain, '/s', 0.25);
  bare.stop();
  await measureWrites(ours, site, body.length);
  await ours.stop();
}

async function measureWrites(ours: StartedExecutable, site: Site, documentBytes: number): Promise<void> {
  const post = requests.post(JSON.stringify(detailedNode(site.targets)));
  const small = requests.post(JSON.stringify(site.smallNode));
  const rate = async (request: string) =>
    (await load({ port: ours.port, connections: CLIENTS, seconds: SECONDS, next: () => request, statuses: [201] }))
      .perSecond;
  await rate(post);
  const insertFile = join(folder, 'insert.db');
  const insert = async (bytes: number) => {
    const child = Bun.spawn(
      [process.execPath, `${import.meta.dir}/bare-insert.ts`, insertFile, String(bytes), String(SECONDS)],
      {
        stdout: 'pipe',
      },
    );
    return Number(await new Response(child.stdout).text());
  };
  const [detailed, rows] = await inTurns(
    () => rate(post),
    () => insert(documentBytes),
  );
  ratio('POST of a node with 20 fields and 10 references, to inserts one by one', detailed, rows, '/s', 1);
  const [plain, smallRows] = await inTurns(
    () => rate(small),
    () => insert(site.smallBytes),
  );
  ratio('POST of a node with title and model, to inserts one by one', plain, smallRows, '/s', 1);
}

async function measureFiles(): Promise<void> {
  const large = join(folder, 'large.bin');
  await makeLargeFile(large);
  const ours = await start(join(folder, 'files'));
  const site = await makeSite(ours.url);
  let number = 0;
  const put = () => {
    number += 1;
    const url = `${ours.url}node/${site.node}/media/file/${site.uses[number % site.uses.length]}`;
    const headers = ['Content-Type: application/zip', `Content-Location: public://large/${number}.zip`];
    return bytesPerSecond(LARGE_BYTES, [
      ...['curl', '-sSf', '-o', '/dev/null', '-X', 'PUT', '-T', large, '-u', `admin:${ADMIN_PASSWORD}`],
      ...headers.flatMap((header) => ['-H', header]),
      url,
    ]);
  };
  const copy = join(folder, 'copy.bin');
  const tee = () => bytesPerSecond(LARGE_BYTES, ['sh', '-c', `tee '${copy}' < '${large}' | sha256sum > /dev/null`]);
  const [putRate, teeRate] = await inTurns(put, tee);
  ratio('PUT of 2 GiB, to tee copy | sha256sum', putRate / 1e6, teeRate / 1e6, 'MB/s', 1);
  const rss = await peakRssMb(ours.pid);
  figures.push({ name: 'peak memory after that', ours: `${rss} MB`, limit: 150, value: rss });
  const bare = await bareServer('file', large);
  const read = (url: string) => bytesPerSecond(LARGE_BYTES, ['curl', '-sSf', '-o', '/dev/null', url]);
  const [ourRead, bareRead] = await inTurns(
    () => read(`${ours.url}sites/default/files/large/1.zip`),
    () => read(`http://127.0.0.1:${bare.port}/`),
  );
  ratio('GET of 2 GiB, to a bare Response(Bun.file())', ourRead / 1e6, bareRead / 1e6, 'MB/s', 0.9);
  bare.stop();
  await ours.stop();
}

async function makeLargeFile(path: string): Promise<void> {
  const writer = Bun.file(path).writer();
  const block = crypto.getRandomValues(new Uint8Array(64 * 1024));
  const blocks = Buffer.concat(Array.from({ length: 64 }, () => block));
  for (let written = 0; written < LARGE_BYTES; written += blocks.byteLength) {
    writer.write(blocks);
    await writer.flush();
  }
  await writer.end();
}

/** A running repository of a number of nodes, with the requests to it. */
interface Grown {
  readonly ours: StartedExecutable;
  readonly site: Site;
  readonly get: () => Promise<number>;
  readonly post: () => Promise<number>;
}

async function measureGrowth(): Promise<void> {
  const few = await growTo(FEW_NODES);
  const many = await growTo(MANY_NODES);
  await Promise.all([few.get(), many.get()]);
  const [manyGet, fewGet] = await inTurns(many.get, few.get);
  ratio(`GET of other nodes with ${MANY_NODES}, to ${FEW_NODES}`, manyGet, fewGet, '/s', 1 / 1.3);
  const [manyPost, fewPost] = await inTurns(many.post, few.post);
  ratio(`POST with ${MANY_NODES} nodes, to ${FEW_NODES}`, manyPost, fewPost, '/s', 1 / 1.3);
  await few.ours.stop();
  await measureLists(many.ours, many.site);
  await many.ours.stop();
}

async function growTo(count: number): Promise<Grown> {
  const data = join(folder, `nodes-${count}`);
  await mkdir(data);
  const { firstId, lastId } = await fillRepository(data, count);
  const bytes = (await stat(join(data, 'repository.db'))).size;
  const startedAt = performance.now();
  const ours = await start(data);
  const startMs = performance.now() - startedAt;
  const name = `with ${count.toLocaleString('en')} nodes`;
  figures.push({ name: `start ${name}`, ours: `${startMs.toFixed(0)} ms`, limit: MAX_START_MS, value: startMs });
  console.log(`${name}: ${(bytes / count).toFixed(0)} bytes of database per node`);
  const site = await makeSite(ours.url);
  // Far from the one before, and not again before all others, so that no response is cached.
  let asked = 0;
  const other = () => requests.get(`/node/${firstId + ((asked++ * STRIDE) % (lastId - firstId + 1))}?_format=json`);
  const post = requests.post(JSON.stringify(detailedNode(site.targets)));
  const measure = async (next: () => string, statuses: number[]) =>
    (await load({ port: ours.port, connections: CLIENTS, seconds: SECONDS, next, statuses })).perSecond;
  return { ours, site, get: () => measure(other, [200]), post: () => measure(() => post, [201]) };
}

async function measureLists(ours: StartedExecutable, site: Site): Promise<void> {
  for (const [name, members] of [
    ['100 members', 100],
    ['2,000 pages', 2_000],
  ] as const) {
    const collection = await site.collection(members);
    let slowest = 0;
    for (const query of ['', '&page=0', '&page=5', `&page=${Math.floor(members / 10) - 1}`]) {
      for (let round = 0; round < ROUNDS; round++) {
        const startedAt = performance.now();
        const response = await fetch(`${ours.url}node/${collection}/members?_format=json${query}`, {
          headers: { Authorization: basic('admin') },
        });
        await response.arrayBuffer();
        if (round > 0) slowest = Math.max(slowest, performance.now() - startedAt);
      }
    }
    figures.push({
      name: `slowest list of ${name}`,
      ours: `${slowest.toFixed(1)} ms`,
      limit: MAX_LIST_MS,
      value: slowest,
    });
  }
}

function ratio(name: string, ours: number, baseline: number, unit: string, target: number): void {
  figures.push({
    name,
    ours: `${ours.toFixed(0)} ${unit}`,
    baseline: `${baseline.toFixed(0)} ${unit}`,
    ratio: ours / baseline,
    target,
  });
}
