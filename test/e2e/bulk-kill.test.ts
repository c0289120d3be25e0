import { afterAll, beforeAll, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import Libsql from 'libsql';
import { confirmPage, endOf, movedTo, progressOf } from '../support/bulk-call.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { formBrowser, signedIn } from '../support/form-call.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { sized } from '../support/size.ts';
import { copyFirstStart } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const ITEMS = sized(800, 2_000);
const KILLS = 4;

let folder: string;
beforeAll(async () => {
  folder = await emptyFolder();
  await copyFirstStart(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = () => startServer({ from: 'source', data: folder });

async function createItems({ fetch }: ServerProcess): Promise<void> {
  const body = JSON.stringify({ type: 'islandora_object', title: ['Glass negative'], field_model: [4] });
  const headers = { 'Content-Type': 'application/json' };
  for (let made = 0; made < ITEMS; made += 100) {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => fetch('/node?_format=json', { method: 'POST', body, headers })),
    );
    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
  }
}

it(`a bulk change of ${ITEMS} items changes each once, although its process is killed ${KILLS} times`, async () => {
  let server = await start();
  await createItems(server);
  let browser = await signedIn(server, 'admin');
  const path = movedTo(await (await confirmPage(browser, 'node', 'unpublish', 'published=yes')).submit());
  for (let kill = 1; kill <= KILLS; kill++) {
    const wanted = (ITEMS / (KILLS + 1)) * kill;
    await until(async () => (await progressOf(browser, path)).counts.done >= wanted, { seconds: 60 });
    await server.kill();
    server = await start();
    browser = formBrowser(server, browser.session);
  }
  const { state, counts } = await endOf(browser, path);
  expect({ state, counts }).toEqual({
    state: 'done',
    counts: { waiting: 0, done: ITEMS, unchanged: 0, skipped: 0, failed: 0 },
  });
  expect(server.complaints).toEqual([]);
  await server.stop();
  const database = new Libsql(`${folder}/repository.db`, { readonly: true });
  const made = database
    .prepare("SELECT count(*), count(DISTINCT entity_id) FROM node_revision WHERE log LIKE 'Unpublished (bulk%'")
    .raw()
    .get();
  const [revisions, items] = made as number[];
  expect({ revisions, items }).toEqual({ revisions: ITEMS, items: ITEMS });
  expect(database.prepare('SELECT count(*) FROM node WHERE status = 1').raw().get()).toEqual([0]);
  database.close();
}, 240_000);
