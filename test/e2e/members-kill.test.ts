import { afterAll, beforeAll, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { endOf, movedTo, progressOf } from '../support/bulk-call.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { formBrowser, signedIn } from '../support/form-call.ts';
import { pause } from '../support/pause.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { sized } from '../support/size.ts';
import { copyFirstStart, type EntityJson } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const PAGES = sized(300, 1_000);
const KILLS = 3;
/** The moments at which a request is interrupted, in milliseconds. */
const MOMENTS = sized([2, 12, 30], [1, 3, 6, 12, 20, 30, 50, 80]);

let folder: string;
beforeAll(async () => {
  folder = await emptyFolder();
  await copyFirstStart(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = () => startServer({ from: 'source', data: folder });
const HEADERS = { 'Content-Type': 'application/json' };

async function create({ fetch }: ServerProcess, title: string, uri: string, parent?: number): Promise<number> {
  const terms = (await (await fetch(`/term_from_uri?_format=json&uri=${uri}`)).json()) as EntityJson[];
  const body = JSON.stringify({
    ...{ type: 'islandora_object', title: [title], field_model: [terms[0]?.tid[0].value] },
    ...(parent !== undefined && { field_member_of: [parent] }),
  });
  const answer = await fetch('/node?_format=json', { method: 'POST', body, headers: HEADERS });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as EntityJson).nid[0].value;
}

/** A book with pages. */
async function createBook(server: ServerProcess) {
  const book = await create(server, 'The ledger', 'https://schema.org/Book');
  const pages: number[] = [];
  while (pages.length < PAGES)
    pages.push(
      ...(await Promise.all(
        Array.from({ length: 50 }, () => create(server, 'A page', 'http://id.loc.gov/ontologies/bibframe/part', book)),
      )),
    );
  return { book, pages };
}

async function statesOf({ fetch }: ServerProcess, ids: readonly number[]): Promise<(boolean | undefined)[]> {
  return Promise.all(
    ids.map(async (id) => {
      const answer = await fetch(`/node/${id}?_format=json`);
      return answer.status === 404 ? undefined : (((await answer.json()) as EntityJson).status[0].value as boolean);
    }),
  );
}

it(`a book is deleted with its pages, although its process is killed ${KILLS} times`, async () => {
  let server = await start();
  const { book, pages } = await createBook(server);
  let browser = await signedIn(server, 'admin');
  const run = movedTo(await (await browser.open(`/node/${book}/delete`)).submit());
  for (let kill = 1; kill <= KILLS; kill++) {
    await until(async () => (await progressOf(browser, run)).counts.done >= (PAGES / (KILLS + 1)) * kill, {
      seconds: 60,
    });
    await server.kill();
    server = await start();
    browser = formBrowser(server, browser.session);
  }
  expect((await endOf(browser, run)).counts).toEqual({
    waiting: 0,
    done: PAGES + 1,
    unchanged: 0,
    skipped: 0,
    failed: 0,
  });
  expect(new Set(await statesOf(server, [book, ...pages]))).toEqual(new Set([undefined]));
  expect(server.complaints).toEqual([]);
  await server.stop();
}, 240_000);

it('pages follow the status of their book, or neither changes, whenever a PATCH is killed', async () => {
  let server = await start();
  const { book, pages } = await createBook(server);
  let isPublished = true;
  for (const moment of MOMENTS) {
    const body = JSON.stringify({ type: 'islandora_object', status: [!isPublished] });
    const request = server
      .fetch(`/node/${book}?_format=json&members=pages`, { method: 'PATCH', body, headers: HEADERS })
      .catch(() => undefined);
    await pause(moment);
    await server.kill();
    await request;
    server = await start();
    const [now] = await statesOf(server, [book]);
    await until(async () => (await statesOf(server, pages)).every((state) => state === now), { seconds: 60 });
    isPublished = now === true;
  }
  await server.stop();
}, 240_000);
