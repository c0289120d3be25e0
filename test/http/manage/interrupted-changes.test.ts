import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { folderNameOf } from '../../../src/base/process-identity.ts';
import { forgetRuns } from '../../../src/bulk/forget-runs.ts';
import { newLease } from '../../../src/runs/lease.ts';
import { confirmPage, endOf, movedTo, progressOf, runBulk } from '../../support/bulk-call.ts';
import { endedProcess } from '../../support/ended-process.ts';
import { type FormBrowser, signedIn } from '../../support/form-call.ts';
import { ALL_FILES, addBulkRun, addRun } from '../../support/run-rows.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const ITEMS = 300;

let repository: TestRepository;
let admin: FormBrowser;
let ids: number[];

beforeAll(async () => {
  repository = await createTestRepository();
  const build = new SiteBuilder(repository);
  ids = [];
  while (ids.length < ITEMS)
    ids.push(...(await Promise.all(Array.from({ length: 50 }, () => build.node('image', 'Glass negative')))));
  admin = await signedIn(repository, 'admin');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** Starts a change of all items. Returns the path of its page when `done` items are changed. */
async function startChange(action: string, done: number): Promise<string> {
  const path = movedTo(await (await confirmPage(admin, 'node', action, 'model=')).submit());
  await until(async () => (await progressOf(admin, path)).counts.done >= done);
  return path;
}

const statusOf = async (id: number) => {
  const node = (await (await repository.get(`/node/${id}?_format=json`, 'admin')).json()) as EntityJson;
  return node.status[0].value as boolean;
};

describe('a bulk change', () => {
  it('continues after a restart, changes each item once, and skips items that others changed', async () => {
    const path = await startChange('unpublish', 50);
    await repository.restart();
    admin = await signedIn(repository, 'admin');
    const last = ids.at(-1) ?? 0;
    const deleted = ids.at(-2) ?? 0;
    const beforeEnd = await progressOf(admin, path);
    expect(beforeEnd.counts.waiting).toBeGreaterThan(0);
    // Another editor is faster with one item, and deletes another one.
    await repository.patch(`/node/${last}?_format=json`, { type: 'islandora_object', status: [false] }, 'admin');
    await repository.delete(`/node/${deleted}?_format=json`, 'admin');
    const { state, counts } = await endOf(admin, path);
    expect(state).toBe('done');
    // The original is among them.
    expect(counts).toEqual({ waiting: 0, done: ITEMS - 2, unchanged: 1, skipped: 1, failed: 0 });
    const { rows } = await repository.running.services.database.client.execute(
      `SELECT count(*), count(DISTINCT entity_id) FROM node_revision WHERE log LIKE 'Unpublished (bulk%'`,
    );
    expect(rows.map((row) => [Number(row[0]), Number(row[1])])).toEqual([[ITEMS - 2, ITEMS - 2]]);
    expect((await admin.open(`${path}?show=skipped`)).html).toContain('It has been deleted.');
    expect((await admin.open(`${path}?show=done&page=2`)).elements('tbody tr')).toHaveLength(98);
  }, 30_000);

  it('continues at once if its process has ended, and stays with a process that works on it', async () => {
    const { database } = repository.running.services;
    const ended = `${folderNameOf(endedProcess())}/1`;
    const working = newLease();
    await addBulkRun(database, 'publish', { id: 801, lease: ended });
    await addBulkRun(database, 'publish', { id: 802, lease: working });
    // Its start wakes the task, and its end comes after those of the two if both are free.
    await runBulk(admin, 'node', 'unpublish', [ids[0] ?? 0]);
    const runs = await database.client.execute('SELECT id, state, lease FROM run WHERE id IN (801, 802) ORDER BY id');
    await database.write([{ sql: 'DELETE FROM run WHERE id IN (801, 802)', args: [] }]);
    expect(runs.rows.map((row) => [row[0], row[1], row[2]])).toEqual([
      [801, 'done', null],
      [802, 'running', working],
    ]);
  }, 30_000);

  it('can be stopped and continued', async () => {
    const path = await startChange('publish', 20);
    const page = await admin.open(path);
    expect(page.html).toContain('You may leave this page');
    await page.submit({}, { action: `${path}/stop` });
    const stopped = await endOf(admin, path);
    expect(stopped.state).toBe('stopped');
    expect(stopped.counts.waiting).toBeGreaterThan(0);
    expect(await statusOf(ids.at(-1) ?? 0)).toBe(false);
    await (await admin.open(path)).submit({}, { action: `${path}/resume` });
    expect((await endOf(admin, path)).counts).toMatchObject({ waiting: 0, failed: 0 });
    expect(await statusOf(ids.at(-1) ?? 0)).toBe(true);
  }, 30_000);

  it('is deleted 90 days after its end, or after an interrupted preparation, as scans are', async () => {
    const { database } = repository.running.services;
    const read = async (sql: string) => {
      database.refresh();
      return (await database.client.execute(sql)).rows.map((row) => Number(row[0]));
    };
    const now = Date.now() / 1_000;
    const before = await read("SELECT id FROM run WHERE kind IN ('bulk', 'scan', 'fixity') ORDER BY id");
    const long = { createdAt: now - 9e6, endedAt: now - 91 * 86_400, state: 'done' } as const;
    await addBulkRun(database, 'publish', { ...long, id: 901 });
    await addBulkRun(database, 'publish', { ...long, id: 902, endedAt: now - 89 * 86_400 });
    await addBulkRun(database, 'publish', { id: 903, state: 'preparing', createdAt: now - 7_200 });
    await addBulkRun(database, 'publish', { id: 904, state: 'preparing', createdAt: now - 60 });
    await addRun(database, { ...long, kind: 'scan', id: 905, about: { scope: 'queue', isDryRun: false } });
    await addRun(database, { ...long, kind: 'fixity', id: 906, about: ALL_FILES });
    await database.write([
      {
        sql: `INSERT INTO bulk_item (run_id, entity_id, state) SELECT run.value, item.value, 'done'
          FROM json_each('[901,902,903,904]') run, json_each('[1,2,3]') item`,
        args: [],
      },
    ]);
    await forgetRuns(database, now);
    expect(await read("SELECT id FROM run WHERE kind IN ('bulk', 'scan', 'fixity') ORDER BY id")).toEqual([
      ...before,
      902,
      904,
      906,
    ]);
    expect(await read('SELECT DISTINCT run_id FROM bulk_item WHERE run_id > 900 ORDER BY 1')).toEqual([902, 904]);
  });

  it('stops if its user is blocked', async () => {
    await repository.user('editor', 'repository_editor');
    const editor = await signedIn(repository, 'editor');
    const path = movedTo(await (await confirmPage(editor, 'node', 'unpublish', 'model=')).submit());
    await repository.running.services.database.write([
      { sql: `UPDATE user SET status = 0 WHERE name = 'editor'`, args: [] },
    ]);
    const { state, counts } = await endOf(admin, path);
    expect(state).toBe('stopped');
    expect(counts.waiting).toBeGreaterThan(0);
    expect((await admin.open(path)).html).toContain('The user who started it is blocked or deleted.');
  }, 30_000);
});
