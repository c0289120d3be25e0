import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { JsonObject } from '../../src/base/json.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { run } from '../support/fixtures.ts';
import { createRandom } from '../support/random.ts';
import { PNG } from '../support/repository-routes.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { basic, type EntityJson } from '../support/test-repository.ts';
import { detailedNode, type FillResult, fillRepository } from './fill.ts';
import { load } from './raw-load.ts';
import { type Figure, ratioOf, report, warmInTurns } from './report.ts';
import {
  bareServer,
  itemWithThumbnails,
  makeNode,
  makeSite,
  requests,
  type Site,
  startRepository,
  termOf,
  upload,
} from './repository-load.ts';

/** The pages that readers open and what their viewers fetch, each as a ratio to a baseline of the same run. */

const ROUNDS = 5;
const SECONDS = 2;
const CLIENTS = 32;
/** More than are asked for again and again, as with readers who come from a search engine. */
const NODES = 400;
/** More than any cache holds. */
const FILLED_NODES = 20_000;
const THUMBNAILS = 24;
const BOOK_PAGES = 500;
const MAX_MANIFEST_MS = 30;
const MAX_PACK_MS = 1_500;
const [WIDTH, HEIGHT, TILE] = [8_000, 6_000, 512];
const PROCESSOR_CONFIG = resolve(import.meta.dir, '../../config/processor.yaml');
const TILES = 'http://iiif.io/api/image/3/ImageService';
const ORIGINAL_FILE = 'http://pcdm.org/use#OriginalFile';
const SERVICE_FILE = 'http://pcdm.org/use#ServiceFile';

const folder = await emptyFolder();
const figures: Figure[] = [];
const dataFolder = join(folder, 'data');
await mkdir(dataFolder);
let server: ServerProcess | undefined;
try {
  const filled = await fillRepository(dataFolder, FILLED_NODES);
  server = await startRepository(dataFolder);
  const site = await makeSite(server.url);
  await measureItemPages(server, site, filled);
  await measureManifest(server, site);
  await measureTiles(server, site);
} finally {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
report('Pages', figures);

async function measureItemPages(ours: ServerProcess, site: Site, filled: FillResult): Promise<void> {
  const paths: string[] = [];
  for (let number = 0; number < NODES; number++)
    paths.push(`/node/${await makeNode(ours.url, detailedNode(site.targets, String(number)))}`);
  const rate = (request: (path: string) => string, all: readonly string[]) => () =>
    load({
      port: ours.port,
      connections: CLIENTS,
      seconds: SECONDS,
      next: (connection, sent) => request(all[(connection * 13 + sent) % all.length] as string),
      statuses: [200],
    }).then(({ perSecond }) => perSecond);
  const json = (path: string) => requests.get(`${path}?_format=json`);
  const inTurn = await warmInTurns(rate(requests.page, paths), rate(json, paths));
  figures.push(ratioOf(`Pages of ${NODES} items in turn, to their JSON`, inTurn, 0.5));

  const random = createRandom(1);
  const other = () => `/node/${filled.firstId + random.below(FILLED_NODES)}`;
  const any = (request: (path: string) => string) => rate(() => request(other()), paths);
  const atRandom = await warmInTurns(any(requests.page), any(json));
  figures.push(ratioOf(`Pages of random items of ${FILLED_NODES.toLocaleString('en')}, to their JSON`, atRandom, 0.12));

  const pictures = Array.from({ length: THUMBNAILS }, () => PNG);
  const parent = `/node/${await itemWithThumbnails(ours.url, site, pictures)}`;
  const withThumbnails = await warmInTurns(rate(requests.page, [parent]), rate(json, [parent]));
  figures.push(ratioOf(`The page of an item with ${THUMBNAILS} thumbnails, to its JSON`, withThumbnails, 0.3));
}

/** The book changes before each request, so that no answer is a stored one. */
async function measureManifest(ours: ServerProcess, site: Site): Promise<void> {
  const model = await termOf(ours.url, 'https://schema.org/Book');
  const book = await makeNode(ours.url, { ...site.smallNode, field_model: [{ target_id: model }] });
  const use = await termOf(ours.url, SERVICE_FILE);
  for (let number = 0; number < BOOK_PAGES; number++) {
    const parent = { field_member_of: [{ target_id: book }], field_weight: [{ value: number + 1 }] };
    const node = await makeNode(ours.url, { ...site.smallNode, ...parent });
    const file = { type: 'image/png', name: `page-${number}.png`, body: PNG };
    await upload(ours.url, { node, media: 'image', use }, file);
  }
  const times: number[] = [];
  for (let round = 0; round < 2 * ROUNDS + 1; round++) {
    const title = [{ value: `A book of ${BOOK_PAGES} pages, ${round}` }];
    await changeNode(ours.url, book, { type: 'islandora_object', title });
    const startedAt = performance.now();
    const response = await fetch(`${ours.url}/node/${book}/manifest`);
    const { items } = (await response.json()) as { items: unknown[] };
    times.push(performance.now() - startedAt);
    if (items.length !== BOOK_PAGES) throw new Error(`the manifest has ${items.length} canvases`);
  }
  const median = times.toSorted((a, b) => a - b)[ROUNDS] as number;
  const name = `The manifest of a book of ${BOOK_PAGES} pages, after a change`;
  figures.push({ name, ours: `${median.toFixed(1)} ms`, limit: MAX_MANIFEST_MS, value: median });
}

/** Makes the tiles of a photograph of 48 megapixels, and serves them. */
async function measureTiles(ours: ServerProcess, site: Site): Promise<void> {
  const photograph = join(folder, 'photograph.jpg');
  const plasma = ['-size', '2000x1500', '-seed', '7', 'plasma:tan-navy', '-resize', `${WIDTH}x${HEIGHT}!`];
  await run(['convert', ...plasma, '-quality', '90', photograph]);
  const processor = await startServer({ mode: 'processor', config: PROCESSOR_CONFIG, args: ['--log-level', 'info'] });
  const times: number[] = [];
  let pack = new Uint8Array();
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    const headers = { 'Content-Type': 'image/jpeg', Accept: 'application/zip' };
    const response = await fetch(processor.url, { method: 'POST', headers, body: Bun.file(photograph) });
    pack = await response.bytes();
    if (response.status !== 200) throw new Error(`POST /: ${response.status} ${Buffer.from(pack)}`);
    times.push(performance.now() - startedAt);
  }
  await processor.stop();
  const fastest = Math.min(...times);
  const name = `The tiles of a JPEG of ${(WIDTH * HEIGHT) / 1e6} megapixels`;
  figures.push({ name, ours: `${fastest.toFixed(0)} ms`, limit: MAX_PACK_MS, value: fastest });

  const node = await makeNode(ours.url, site.smallNode);
  const jpeg = { type: 'image/jpeg', name: 'photograph.jpg', body: Bun.file(photograph) };
  const original = await termOf(ours.url, ORIGINAL_FILE);
  const image = await upload(ours.url, { node, media: 'image', use: original }, jpeg);
  const zip = { type: 'application/zip', name: 'tiles.zip', body: pack };
  await upload(ours.url, { node, media: 'file', use: await termOf(ours.url, TILES) }, zip);
  const { uuid } = (await (await fetch(`${image}?_format=json`)).json()) as EntityJson;
  const tiles: string[] = [];
  for (let y = 0; y + TILE <= HEIGHT; y += TILE)
    for (let x = 0; x + TILE <= WIDTH; x += TILE)
      tiles.push(`/iiif/3/${uuid[0].value}/${x},${y},${TILE},${TILE}/${TILE},${TILE}/0/default.jpg`);
  const { byteLength } = await (await fetch(`${ours.url}${tiles[0]}`)).arrayBuffer();
  const packFile = join(folder, 'tiles.zip');
  await Bun.write(packFile, pack);
  const bare = await bareServer('slices', packFile, byteLength);
  const next = (all: readonly string[]) => (connection: number, sent: number) =>
    requests.get(all[(connection * 13 + sent) % all.length] as string);
  const rate = (port: number, all: readonly string[]) => async () =>
    (await load({ port, connections: CLIENTS, seconds: SECONDS, next: next(all), statuses: [200, 206] })).perSecond;
  const rates = await warmInTurns(rate(ours.port, tiles), rate(bare.port, ['/']));
  figures.push(ratioOf(`Tiles of ${(byteLength / 1e3).toFixed(0)} KB, to a bare Bun.file().slice()`, rates, 0.5));
  bare.stop();
}

async function changeNode(url: string, node: number, body: JsonObject): Promise<void> {
  const headers = { Authorization: basic('admin'), 'Content-Type': 'application/json' };
  const path = `/node/${node}?_format=json`;
  const response = await fetch(`${url}${path}`, { method: 'PATCH', headers, body: JSON.stringify(body) });
  if (response.status !== 200) throw new Error(`PATCH ${path}: ${response.status} ${await response.text()}`);
}
