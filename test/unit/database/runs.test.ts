import { afterEach, beforeEach, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findResults, findRun } from '../../../src/bulk/find-runs.ts';
import type { Database } from '../../../src/database/database.ts';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { scanRuns } from '../../../src/jobs/scan-position.ts';
import { readIndexState } from '../../../src/repository/search-index/index-state.ts';
import { newLease } from '../../../src/runs/lease.ts';
import { createJournal } from '../../../src/transfer/import/journal.ts';
import { findLoaded } from '../../../src/transfer/import/journal-items.ts';
import { listTableUploads } from '../../../src/transfer/table-uploads/table-upload-store.ts';
import { findRuns } from '../../../src/upkeep/fixity/find-runs.ts';
import { createBefore } from '../../support/earlier-database.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

const MIGRATION = '0024_runs';
const FOLDER = 'a'.repeat(32);

let folder: string;
let database: Database;
beforeEach(async () => {
  folder = await emptyFolder();
  database = openLocalDatabase(join(folder, 'a.db'));
  await createBefore(database.client, MIGRATION);
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const write = (sql: string, ...args: (string | number | null)[]) => database.write([{ sql, args }]);
const rows = async (sql: string) => (await database.client.execute(sql)).rows.map((row) => Object.values(row));

const addBulkRun = (id: number, state: string, action: string, parameters: object, lease: string | null = null) =>
  write(
    `INSERT INTO bulk_run (id, user_id, entity_type, action, parameters, state, message, created_at, ended_at, worked, lease, lease_until)
      VALUES (?1, 7, 'node', ?2, ?3, ?4, iif(?4 = 'stopped', 'Its user is "blocked".', NULL), 100.5, iif(?4 = 'running', NULL, 200.5), 1.5,
        ?5, unixepoch() + 60)`,
    ...[id, action, JSON.stringify(parameters), state, lease],
  );
const addImport = (id: number, path: string, endedAt: number | null) =>
  write('INSERT INTO import_run VALUES (?1, ?2, ?3, 2, 100, ?4, NULL, NULL, 40)', id, `sum of ${path}`, path, endedAt);
const addItem = (run: number, rowId: string, node: number) =>
  write("INSERT INTO import_item VALUES (?, ?, '', ?, '0 f')", run, rowId, node);
const addUpload = (state: string, more: { report?: object; failure?: object; lease?: string } = {}) =>
  write(
    `INSERT INTO table_upload (folder, user_id, file_name, options, state, progress, report, failure, created_at, changed_at, stops, lease, lease_until)
      VALUES (?, 7, ?, '{"delimiter":","}', ?, '{"rows":5}', ?, ?, 100, 200, 0, ?, unixepoch() + 60)`,
    ...[`${state} folder`, `${state}.csv`, state, textOf(more.report), textOf(more.failure), more.lease ?? null],
  );
const textOf = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value));

it('the migration keeps bulk changes with their ids and results', async () => {
  await addBulkRun(4, 'done', 'term', { field: 'field_tags', target: 9 });
  await addBulkRun(5, 'done', 'undo', { field: 'field_tags', undoes: 4 });
  await addBulkRun(6, 'stopped', 'publish', {});
  await addBulkRun(8, 'running', 'order', { membersOf: 3 }, newLease());
  await write(
    "INSERT INTO bulk_item (run_id, entity_id, state, label) VALUES (4, 31, 'done', 'A map'), (4, 32, 'failed', 'A view')",
  );
  await migrate(database.client, 0);
  expect(await findRun(database, 4)).toEqual({
    ...{ id: 4, userId: 7, userName: null, type: 'node', action: 'term', state: 'done', message: null, undoneBy: 5 },
    ...{
      parameters: { field: 'field_tags', target: 9 },
      createdAt: 100.5,
      endedAt: 200.5,
      worked: 1.5,
      isUnderWay: false,
    },
    counts: { waiting: 0, done: 1, unchanged: 0, skipped: 0, failed: 1 },
  });
  expect(await findResults(database, 'failed', { runId: 4, limit: 9, offset: 0 })).toMatchObject([{ label: 'A view' }]);
  expect(await findRun(database, 6)).toMatchObject({ state: 'stopped', message: 'Its user is "blocked".' });
  expect(await findRun(database, 8)).toMatchObject({ state: 'running', endedAt: null, isUnderWay: true });
});

it.each([0, 3])('the migration keeps the journal of imports beside %d bulk changes', async (changes) => {
  for (let id = 1; id <= changes; id++) await addBulkRun(id, 'done', 'publish', {});
  await addImport(1, '/one.csv', 200);
  await addImport(2, '/two.csv', null);
  await addImport(5, `/data/imports/${FOLDER}/table.csv`, 200);
  for (const [run, rowId, node] of [
    [1, 'a', 11],
    [1, 'b', 12],
    [2, 'a', 13],
    [5, 'a', 14],
  ] as const)
    await addItem(run, rowId, node);
  await migrate(database.client, 0);
  const journal = createJournal(database);
  const one = await journal.find({ sha256: 'sum of /one.csv', path: '/one.csv' }, false);
  expect(one).toMatchObject({ kind: 'finished', run: { rows: 2, startedAt: 100, endedAt: 200, firstNodeId: 40 } });
  const two = await journal.find({ sha256: 'sum of /two.csv', path: '/two.csv' }, false);
  if (two.kind !== 'unfinished') throw new Error('the import is finished');
  expect([...(await findLoaded(database, two.run, ['a', 'b'])).values()]).toMatchObject([{ nodeId: 13 }]);
  expect(await rows("SELECT about ->> 'path' FROM run WHERE about ->> 'isUploaded'")).toEqual([
    [`/data/imports/${FOLDER}/table.csv`],
  ]);
  expect(await rows("SELECT count(*) FROM import_item JOIN run ON run.id = run_id AND kind = 'import'")).toEqual([[4]]);
});

it('the migration keeps checks of files with what they found', async () => {
  await addBulkRun(9, 'done', 'publish', {});
  const scope = '{"isScheduled":false,"store":"s3","sample":null}';
  await write('INSERT INTO fixity_run VALUES (1, ?, 9, 9, 10, 10, 4096, 1, 2, 0, 100, 200, NULL, NULL)', scope);
  await write('INSERT INTO fixity_run VALUES (2, ?, 3, 9, 10, 4, 512, 0, 0, 0, 300, NULL, NULL, NULL)', scope);
  await write("INSERT INTO fixity_check VALUES (3, 1, 'key', 150, 'damaged', 'another checksum')");
  await migrate(database.client, 0);
  const counts = { total: 10, lastId: 9, unreadable: 0, isUnderWay: false };
  const checkScope = { isScheduled: false, store: 's3', sample: undefined };
  const [second, first] = await findRuns(database, 9);
  expect(first).toMatchObject({
    ...counts,
    position: 9,
    checked: 10,
    bytes: 4096,
    damaged: 1,
    missing: 2,
    startedAt: 100,
    endedAt: 200,
  });
  expect(second).toMatchObject({
    ...counts,
    position: 3,
    checked: 4,
    bytes: 512,
    scope: checkScope,
    endedAt: undefined,
  });
  expect(await rows('SELECT run_id FROM fixity_check')).toEqual([[first?.id ?? 0]]);
});

it('the migration keeps uploaded tables with their reports', async () => {
  const failure = { message: 'Row 3 is invalid.' };
  await addUpload('checked', { report: { rows: 5, problemCount: 1 } });
  await addUpload('importing', { lease: newLease() });
  await addUpload('failed', { failure });
  await addUpload('done');
  await migrate(database.client, 0);
  const uploads = (await listTableUploads(database, 7)).reverse();
  expect(uploads).toMatchObject([
    { state: 'checked', folder: 'checked folder', report: { rows: 5, problemCount: 1 }, failure: undefined },
    { state: 'importing', fileName: 'importing.csv', host: null, options: { delimiter: ',' }, progress: { rows: 5 } },
    { state: 'failed', failure, createdAt: 100 },
    { state: 'done', report: undefined },
  ]);
});

it('the migration keeps unfinished scans and an unfinished index', async () => {
  await write("INSERT INTO derivative_scan VALUES ('queue', 250, 900, 250, 12, 3, 1), ('count ocr', 5, 9, 5, 0, 0, 0)");
  await write(
    "UPDATE search_index SET version = '1', building = '2', position = 40, last_id = 90, done = 30, total = 80",
  );
  await migrate(database.client, 0);
  expect((await scanRuns.list(database)).map(({ about, progress }) => [about, progress])).toEqual([
    [
      { scope: 'count ocr', action: 'ocr', isDryRun: true },
      { position: 5, lastId: 9, scanned: 5, queued: 0, open: 0, failed: 0 },
    ],
    [
      { scope: 'queue', isDryRun: false },
      { position: 250, lastId: 900, scanned: 250, queued: 12, open: 3, failed: 1 },
    ],
  ]);
  expect(await readIndexState(database)).toEqual({
    ...{ version: '1', building: '2', position: 40, lastId: 90, done: 30, total: 80, isUnderWay: false },
  });
});
