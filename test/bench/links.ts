import { rm } from 'node:fs/promises';
import { emptyFolder } from '../support/empty-folder.ts';
import { basic } from '../support/test-repository.ts';
import { load } from './raw-load.ts';
import { best, type Figure, ratioOf, report } from './report.ts';
import { linkedNode, makeSite, requests, startRepository } from './repository-load.ts';

/**
 * What Link headers and JSON-LD cost, as ratios to the same GET as plain JSON with the links switched off: a node
 * with 10 media and 20 references, for someone who may see all of them. `make bench` prints it.
 */

const ROUNDS = 5;
const SECONDS = 2;
const CLIENTS = 32;
/** More than the cached responses: in turns, each is created again. */
const NODES = 400;
const SETTINGS = 'admin/config/islandora/core?_format=json';

const folder = await emptyFolder();
const figures: Figure[] = [];
const server = await startRepository(folder);
try {
  const site = await makeSite(server.url);
  const ids: number[] = [];
  while (ids.length < NODES)
    ids.push(...(await Promise.all(Array.from({ length: 8 }, () => linkedNode(server.url, site)))));
  const [id = 0] = ids;
  let turn = 0;
  const inTurn = (format: string) => () => requests.basic(`/node/${ids[turn++ % ids.length]}?_format=${format}`);
  const plain: number[] = [];
  const linked: number[] = [];
  const graph: number[] = [];
  const page: number[] = [];
  const conditional: number[] = [];
  const plainInTurn: number[] = [];
  const linkedInTurn: number[] = [];
  const graphInTurn: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await allowLinks(false);
    plain.push(await rate(requests.basic(`/node/${id}?_format=json`)));
    plainInTurn.push(await rate(inTurn('json')));
    await allowLinks(true);
    linked.push(await rate(requests.basic(`/node/${id}?_format=json`)));
    linkedInTurn.push(await rate(inTurn('json')));
    graphInTurn.push(await rate(inTurn('jsonld')));
    graph.push(await rate(requests.basic(`/node/${id}?_format=jsonld`)));
    conditional.push(await rate(requests.basicConditional(`/node/${id}?_format=json`, await etagOf(id)), 304));
    page.push(await rate(requests.basic(`/node/${id}?_format=html`)));
  }
  const baseline = best(plain);
  const add = (name: string, ours: number[], other: number) => figures.push(ratioOf(name, [best(ours), other], 0.5));
  add('GET with Link headers, to one without', linked, baseline);
  add('GET of JSON-LD with Link headers, to plain JSON without', graph, baseline);
  add('GET with Link headers that is answered 304, to plain JSON', conditional, baseline);
  const others = best(plainInTurn);
  add(`the same, of ${NODES} nodes in turn`, linkedInTurn, others);
  add(`JSON-LD, of ${NODES} nodes in turn`, graphInTurn, others);
  console.log(`the page of the same node: ${best(page).toFixed(0)} /s`);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
report('Links and graphs', figures);

async function rate(request: string | (() => string), status = 200): Promise<number> {
  const next = typeof request === 'string' ? () => request : request;
  return (await load({ port: server.port, connections: CLIENTS, seconds: SECONDS, next, statuses: [status] }))
    .perSecond;
}

async function allowLinks(value: boolean): Promise<void> {
  const response = await fetch(`${server.url}${SETTINGS}`, {
    method: 'PATCH',
    headers: { Authorization: basic('admin'), 'Content-Type': 'application/json' },
    body: JSON.stringify({ allow_header_links: [{ value }] }),
  });
  if (response.status !== 200) throw new Error(`PATCH of the setting: ${response.status} ${await response.text()}`);
}

async function etagOf(id: number): Promise<string> {
  // Under the name and in the coding that the load asks for: both are part of what is tagged.
  const headers = { Authorization: basic('admin'), Host: 'localhost', 'Accept-Encoding': 'identity' };
  return (await fetch(`${server.url}/node/${id}?_format=json`, { headers })).headers.get('etag') ?? '';
}
