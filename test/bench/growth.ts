import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { basic } from '../support/test-repository.ts';
import { detailedNode, fillRepository } from './fill.ts';
import { load } from './raw-load.ts';
import { type Figure, inTurns, ratioOf, report, warmInTurns } from './report.ts';
import { bareServer, makeSite, requests, type Site, startRepository } from './repository-load.ts';

/**
 * What many nodes cost: requests for nodes that were not read before, each kind as a ratio to a bare server, and with many
 * nodes as a ratio to few. `make bench` prints it; `growth.ts 5000000` measures with that number of nodes.
 */

const SECONDS = 2;
const CLIENTS = 32;
const ROUNDS = 5;
const [count] = process.argv.slice(2);
const MANY_NODES = Number(count ?? 1_000_000);
/** More than the caches hold, so that the same work is compared. */
const FEW_NODES = 100_000;
/** Prime: from node to node it comes to each of them. */
const STRIDE = 7_919;
/** The rate with many nodes as a share of the one with few. */
const MIN_SHARE = 0.77;
const MAX_START_MS = 1_000;
const MAX_LIST_MS = 50;
/** The formats of the representations of a node. */
const FORMATS = { JSON: 'json', 'JSON-LD': 'jsonld', Page: 'html' };

const folder = await emptyFolder();
const figures: Figure[] = [];
try {
  await measureGrowth();
} finally {
  await rm(folder, { recursive: true, force: true });
}
report('Growth', figures);

/** A running repository of a number of nodes. */
interface Grown {
  readonly ours: ServerProcess;
  readonly site: Site;
  /** Returns the path of another node, far from the one before, and not again before all others: no response is cached. */
  readonly other: (format: string) => string;
  /** Measures requests for other nodes. */
  readonly get: (format: string) => () => Promise<number>;
  readonly post: () => Promise<number>;
}

async function measureGrowth(): Promise<void> {
  const few = await growTo(FEW_NODES);
  await measureOthers(few);
  const many = await growTo(MANY_NODES);
  const gets = await warmInTurns(many.get(FORMATS.JSON), few.get(FORMATS.JSON));
  figures.push(ratioOf(`GET of other nodes with ${MANY_NODES}, to ${FEW_NODES}`, gets, MIN_SHARE));
  const posts = await inTurns(many.post, few.post);
  figures.push(ratioOf(`POST with ${MANY_NODES} nodes, to ${FEW_NODES}`, posts, MIN_SHARE));
  await few.ours.stop();
  await measureLists(many);
  await many.ours.stop();
}

async function growTo(count: number): Promise<Grown> {
  const data = join(folder, `nodes-${count}`);
  await mkdir(data);
  const { firstId, lastId } = await fillRepository(data, count);
  const bytes = (await stat(join(data, 'repository.db'))).size;
  const startedAt = performance.now();
  const ours = await startRepository(data);
  const startMs = performance.now() - startedAt;
  const name = `with ${count.toLocaleString('en')} nodes`;
  figures.push({ name: `start ${name}`, ours: `${startMs.toFixed(0)} ms`, limit: MAX_START_MS, value: startMs });
  console.log(`${name}: ${(bytes / count).toFixed(0)} bytes of database per node`);
  const site = await makeSite(ours.url);
  let asked = 0;
  const other = (format: string) =>
    `/node/${firstId + ((asked++ * STRIDE) % (lastId - firstId + 1))}?_format=${format}`;
  const post = requests.post(JSON.stringify(detailedNode(site.targets)));
  return {
    ours,
    site,
    other,
    get: (format) => () => rate(ours.port, () => requests.get(other(format))),
    post: () => rate(ours.port, () => post, 201),
  };
}

async function rate(port: number, next: () => string, status = 200): Promise<number> {
  return (await load({ port, connections: CLIENTS, seconds: SECONDS, next, statuses: [status] })).perSecond;
}

/** Measures each representation of other nodes, to a bare server that returns the same bytes again and again. */
async function measureOthers({ ours, other, get }: Grown): Promise<void> {
  for (const [name, format] of Object.entries(FORMATS)) {
    const body = await (await fetch(`${ours.url}${other(format)}`)).text();
    const file = join(folder, 'body');
    await Bun.write(file, body);
    const bare = await bareServer('body', file);
    const rates = await warmInTurns(get(format), () => rate(bare.port, () => requests.get('/')));
    bare.stop();
    const what = `${name} of other nodes of ${FEW_NODES} (${body.length} bytes)`;
    figures.push(ratioOf(`${what}, to a bare server with the same bytes`, rates, 0.15));
  }
}

async function measureLists({ ours, site }: Grown): Promise<void> {
  for (const [name, members] of [
    ['100 members', 100],
    ['2,000 pages', 2_000],
  ] as const) {
    const collection = await site.collection(members);
    let slowest = 0;
    for (const query of ['', '&page=0', '&page=5', `&page=${Math.floor(members / 10) - 1}`]) {
      for (let round = 0; round < ROUNDS; round++) {
        const startedAt = performance.now();
        const response = await fetch(`${ours.url}/node/${collection}/members?_format=json${query}`, {
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
