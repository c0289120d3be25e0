import { afterAll, beforeAll, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import Libsql from 'libsql';
import { confirmPage, endOf, movedTo, progressOf } from '../support/bulk-call.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { type FormBrowser, formBrowser, type OpenPage, signedIn } from '../support/form-call.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { sized } from '../support/size.ts';
import { copyFirstStart } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const ITEMS = sized(800, 2_000);
const KILLS = sized(4, 20);

let folder: string;
beforeAll(async () => {
  folder = await emptyFolder();
  await copyFirstStart(folder);
  const server = await start();
  await createItems(server);
  await server.stop();
}, 120_000);
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

/** Starts a change, kills its server again and again before it ends, and returns its results and the log messages of the last server. */
async function changeKilled(begin: (browser: FormBrowser) => Promise<OpenPage>) {
  let server = await start();
  let browser = await signedIn(server, 'admin');
  const path = movedTo(await begin(browser));
  for (let kill = 1; kill <= KILLS; kill++) {
    const wanted = (ITEMS / (KILLS + 1)) * (kill - Math.random());
    await until(async () => (await progressOf(browser, path)).counts.done >= wanted, { seconds: 60 });
    await server.kill();
    server = await start();
    browser = formBrowser(server, browser.session);
  }
  const { state, counts } = await endOf(browser, path);
  expect(server.complaints).toEqual([]);
  await server.stop();
  return { path, state, counts };
}

const ALL_DONE = { state: 'done', counts: { waiting: 0, done: ITEMS, unchanged: 0, skipped: 0, failed: 0 } };

/** Returns a row of the database of the stopped server. */
function rowOf(sql: string): unknown {
  const database = new Libsql(`${folder}/repository.db`, { readonly: true });
  const row = database.prepare(sql).raw().get();
  database.close();
  return row;
}

it(`a bulk change of ${ITEMS} items changes each once, although its process is killed ${KILLS} times`, async () => {
  const change = await changeKilled(async (browser) =>
    (await confirmPage(browser, 'node', 'unpublish', 'published=yes')).submit(),
  );
  expect(change).toMatchObject(ALL_DONE);
  const revisions = "SELECT count(*), count(DISTINCT entity_id) FROM node_revision WHERE log LIKE 'Unpublished (bulk%'";
  expect(rowOf(revisions)).toEqual([ITEMS, ITEMS]);
  expect(rowOf('SELECT count(*) FROM node WHERE status = 1')).toEqual([0]);
}, 600_000);

it(`a change of values and its undo change each of ${ITEMS} items once, although their process is killed ${KILLS} times each`, async () => {
  const press = (button: string) => ({ button: ['do', button] as const });
  const change = await changeKilled(async (browser) => {
    const page = await confirmPage(browser, 'node', 'values', 'title=negative');
    const form = await page.submit({ field: 'title', operation: 'find' }, press('edit'));
    // A second replacement of the same item would be seen.
    const texts = { find: 'Glass', replacement: 'Glass Glass', reason: 'Doubled' };
    return (await form.submit(texts, press('preview'))).submit({}, press('save'));
  });
  expect(change).toMatchObject(ALL_DONE);
  expect(rowOf("SELECT count(*) FROM node WHERE label = 'Glass Glass negative'")).toEqual([ITEMS]);
  const revisions = "SELECT count(*), count(DISTINCT entity_id) FROM node_revision WHERE log LIKE 'Doubled (bulk%'";
  expect(rowOf(revisions)).toEqual([ITEMS, ITEMS]);
  const undo = await changeKilled(async (browser) =>
    (await browser.open(change.path)).submit({}, { action: `${change.path}/undo` }),
  );
  expect(undo).toMatchObject(ALL_DONE);
  expect(rowOf("SELECT count(*) FROM node WHERE label = 'Glass negative'")).toEqual([ITEMS]);
}, 1_200_000);
