import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../src/base/json.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { type StartedExecutable, startServe } from '../support/executable.ts';
import { createRandom } from '../support/random.ts';
import { PNG } from '../support/repository-routes.ts';
import { ADMIN_PASSWORD, basic, type EntityJson } from '../support/test-repository.ts';
import { detailedNode } from './fill.ts';
import { load } from './raw-load.ts';
import { best, type Figure, report } from './report.ts';
import { makeSite, requests, type Site } from './repository-load.ts';

/** The pages that readers open and what their viewers fetch, each as a ratio to a baseline of the same run. */

const ROUNDS = 5;
const SECONDS = 2;
const CLIENTS = 32;
/** More than are asked for again and again, as with readers who come from a search engine. */
const NODES = 400;
const THUMBNAILS = 24;
const BOOK_PAGES = 500;
const MAX_MANIFEST_MS = 30;
const THUMBNAIL = 'http://pcdm.org/use#ThumbnailImage';
const SERVICE_FILE = 'http://pcdm.org/use#ServiceFile';

const folder = await emptyFolder();
const figures: Figure[] = [];
const env = { PATH: process.env.PATH ?? '', REPO_ADMIN_PASSWORD: ADMIN_PASSWORD };
const args = ['--mode', 'repository', '--data', join(folder, 'data'), '--log-level', 'info'];
let server: StartedExecutable | undefined;
try {
  server = await startServe({ args, env });
  const site = await makeSite(server.url);
  await measureItemPages(server, site);
  await measureManifest(server, site);
} finally {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
report('Pages', figures);

async function measureItemPages(ours: StartedExecutable, site: Site): Promise<void> {
  const paths = await inOrder(NODES, (number) => makeNode(ours, detailedNode(site.targets, String(number))));
  const rate = (request: (path: string) => string, all: readonly string[]) => () =>
    load({
      port: ours.port,
      connections: CLIENTS,
      seconds: SECONDS,
      next: (connection, sent) => request(all[(connection * 13 + sent) % all.length] as string),
      statuses: [200],
    }).then(({ perSecond }) => perSecond);
  const json = (path: string) => requests.get(`${path}?_format=json`);
  const [pages, documents] = await inTurns(rate(requests.page, paths), rate(json, paths));
  ratio(`Pages of ${NODES} items in turn, to their JSON`, pages, documents, 0.5);

  const random = createRandom(1);
  const any = (request: (path: string) => string) => rate((_) => request(random.pick(paths)), paths);
  const [randomPages, randomDocuments] = await inTurns(any(requests.page), any(json));
  ratio('Pages of random items, to their JSON', randomPages, randomDocuments, 0.5);

  const parent = await makeNode(ours, site.smallNode);
  await inOrder(THUMBNAILS, async (number) => {
    const member = { ...site.smallNode, field_member_of: [{ target_id: idOf(parent) }] };
    const path = await makeNode(ours, member);
    await upload(ours, `${path}/media/image/${await useOf(ours, THUMBNAIL)}`, `thumbnail-${number}.png`);
    return path;
  });
  const [withThumbnails, document] = await inTurns(rate(requests.page, [parent]), rate(json, [parent]));
  ratio(`The page of an item with ${THUMBNAILS} thumbnails, to its JSON`, withThumbnails, document, 0.3);
}

/** The book changes before each request, so that no answer is a stored one. */
async function measureManifest(ours: StartedExecutable, site: Site): Promise<void> {
  const model = await useOf(ours, 'https://schema.org/Book');
  const book = await makeNode(ours, { ...site.smallNode, field_model: [{ target_id: model }] });
  const use = await useOf(ours, SERVICE_FILE);
  await inOrder(BOOK_PAGES, async (number) => {
    const parent = { field_member_of: [{ target_id: idOf(book) }], field_weight: [{ value: number + 1 }] };
    const path = await makeNode(ours, { ...site.smallNode, ...parent });
    await upload(ours, `${path}/media/image/${use}`, `page-${number}.png`);
    return path;
  });
  const times: number[] = [];
  for (let round = 0; round < 2 * ROUNDS + 1; round++) {
    const title = [{ value: `A book of ${BOOK_PAGES} pages, ${round}` }];
    await send(ours, 'PATCH', `${book}?_format=json`, { type: 'islandora_object', title }, 200);
    const startedAt = performance.now();
    const response = await fetch(`${ours.url.slice(0, -1)}${book}/manifest`);
    const { items } = (await response.json()) as { items: unknown[] };
    times.push(performance.now() - startedAt);
    if (items.length !== BOOK_PAGES) throw new Error(`the manifest has ${items.length} canvases`);
  }
  const median = times.toSorted((a, b) => a - b)[ROUNDS] as number;
  const name = `The manifest of a book of ${BOOK_PAGES} pages, after a change`;
  figures.push({ name, ours: `${median.toFixed(1)} ms`, limit: MAX_MANIFEST_MS, value: median });
}

async function inOrder(count: number, make: (number: number) => Promise<string>): Promise<string[]> {
  const made: string[] = [];
  for (let number = 0; number < count; number++) made.push(await make(number));
  return made;
}

async function send(
  ours: StartedExecutable,
  method: string,
  path: string,
  body: JsonObject,
  status: number,
): Promise<EntityJson> {
  const headers = { Authorization: basic('admin'), 'Content-Type': 'application/json' };
  const response = await fetch(`${ours.url.slice(0, -1)}${path}`, { method, headers, body: JSON.stringify(body) });
  if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as EntityJson;
}

/** Creates a node and returns its path. */
async function makeNode(ours: StartedExecutable, body: JsonObject): Promise<string> {
  return `/node/${(await send(ours, 'POST', '/node?_format=json', body, 201)).nid[0].value}`;
}

const idOf = (path: string) => Number(path.split('/').at(-1));

/** Uploads a small picture as a file of its own. */
async function upload(ours: StartedExecutable, path: string, name: string): Promise<void> {
  const headers = {
    Authorization: basic('admin'),
    'Content-Type': 'image/png',
    'Content-Location': `public://${name}`,
  };
  const response = await fetch(`${ours.url.slice(0, -1)}${path}`, { method: 'PUT', headers, body: PNG });
  if (response.status !== 201) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
}

/** The id of a default term. */
async function useOf(ours: StartedExecutable, uri: string): Promise<number> {
  const url = `${ours.url}term_from_uri?_format=json&uri=${encodeURIComponent(uri)}`;
  const [term] = (await (await fetch(url, { headers: { Authorization: basic('admin') } })).json()) as EntityJson[];
  return term?.tid[0].value;
}

function ratio(name: string, ours: number, baseline: number, target: number): void {
  const [mine, other] = [`${ours.toFixed(0)} /s`, `${baseline.toFixed(0)} /s`];
  figures.push({ name, ours: mine, baseline: other, ratio: ours / baseline, target });
}

/** Rounds take turns, so that both see the same machine; the first of each is not counted. */
async function inTurns(ours: () => Promise<number>, other: () => Promise<number>): Promise<[number, number]> {
  const [mine, theirs]: [number[], number[]] = [[], []];
  await other();
  await ours();
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(await other());
    mine.push(await ours());
  }
  return [best(mine), best(theirs)];
}
