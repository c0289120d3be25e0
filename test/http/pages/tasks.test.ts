import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { newLease } from '../../../src/runs/lease.ts';
import { confirmPage, endOf, movedTo } from '../../support/bulk-call.ts';
import { type FormBrowser, type OpenPage, signedIn } from '../../support/form-call.ts';
import { addBulkRun, addCheck, addRun } from '../../support/run-rows.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { tableBrowser } from '../../support/table-upload.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const TASKS = '/admin/tasks';

let repository: TestRepository;
let admin: FormBrowser;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('editor', 'repository_editor');
  admin = await signedIn(repository, 'admin');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const database = () => repository.running.services.database;
const write = (sql: string, ...args: (string | number)[]) => database().write([{ sql, args }]);

/** The rows of a page of tasks, without their times. */
const rowsOf = (page: OpenPage) =>
  page.elements('tbody tr').map(({ text }) =>
    text
      .replace(/\s+/g, ' ')
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/, '')
      .trim(),
  );

describe('the page of tasks', () => {
  it('is for administrators', async () => {
    expect((await (await signedIn(repository, 'editor')).open(TASKS)).status).toBe(403);
    const page = await admin.open(TASKS);
    expect({ status: page.status, rows: rowsOf(page) }).toEqual({ status: 200, rows: [] });
    expect(page.html).toContain('Nothing runs at present.');
    expect(page.html).not.toContain('progress.');
  });

  it('lists what others have done, and what went wrong', async () => {
    const build = new SiteBuilder(repository);
    const ids = [await build.node('image', 'A view'), await build.node('image', 'Another view')];
    const editor = await signedIn(repository, 'editor');
    const path = movedTo(await (await confirmPage(editor, 'node', 'unpublish', ids)).submit());
    await endOf(editor, path);
    const table = await tableBrowser(repository, 'editor');
    const imported = (await table.upload('id,title,field_model\n1,A title,No such model\n')).path;
    await table.settled(imported);
    const counts = { total: 40, checked: 40, damaged: 1, missing: 1 };
    await addCheck(database(), counts, { state: 'done', endedAt: Date.now() / 1_000 });
    const page = await admin.open(TASKS);
    expect(rowsOf(page).sort()).toEqual([
      'All filesCheck of stored filesFinished: 40 of 40 files.2 files not intact.',
      'Unpublish 2 itemsBulk changeFinished: 2 of 2.',
      'items.csvImport of a tableChecked.',
    ]);
    const links = page.elements('tbody th a').map(({ attributes }) => attributes.href);
    expect(links.map((href) => href?.replace(/^https?:\/\/[^/]+/, '')).sort()).toEqual(
      ['/admin/reports/fixity', path].sort(),
    );
  });

  it('shows how far running work is, and stops it', async () => {
    await addBulkRun(database(), 'publish', { id: 701, lease: newLease() });
    await write(`INSERT INTO bulk_item (run_id, entity_id, state) VALUES (701, 1, 'done'), (701, 2, 'waiting')`);
    await addCheck(database(), { total: 5000, checked: 10 }, { id: 702, lease: newLease() });
    const page = await admin.open(TASKS);
    expect(page.elements('[data-live]').map(({ text, attributes }) => [attributes['data-live'], text])).toEqual(
      expect.arrayContaining([
        ['Bulk change 701', '1 of 2'],
        ['Check of stored files 702', '10 of 5,000 files'],
      ]),
    );
    expect(page.html).toContain('progress.');
    await page.submit({}, { action: '/admin/content/bulk/701/stop' });
    await page.submit({}, { action: '/admin/reports/fixity' });
    const stopped = rowsOf(await admin.open(TASKS)).join('\n');
    expect(stopped).toContain('Stopped at 1 of 2.');
    expect(stopped).toContain('Interrupted at 10 of 5,000 files.');
    expect((await admin.open(TASKS)).elements('[data-live]')).toEqual([]);
  });

  it('lists an uploaded table once when it is imported', async () => {
    const table = await tableBrowser(repository, 'admin');
    const { path } = await table.upload('id,title,field_model\n1,A title,Image\n');
    await table.settled(path);
    await table.press(path, { act: 'start' });
    await table.settled(path);
    const rows = rowsOf(await admin.open(TASKS)).filter((row) => row.includes('Import'));
    expect(rows).toEqual(['items.csvImport of a tableImported.', 'items.csvImport of a tableChecked.']);
  });

  it('lists imports and scans of commands, also those that were interrupted', async () => {
    const table = { sha256: 'a', path: '/tables/maps.csv', rows: 1_200, firstNodeId: 1, isUploaded: false };
    const counts = { position: 9, lastId: 9, open: 0, failed: 0 };
    await addRun(database(), { kind: 'import', about: table, progress: 400, lease: newLease() });
    const failed = await addRun(database(), {
      kind: 'import',
      about: { ...table, path: '/tables/views.csv' },
      progress: 7,
    });
    await write(`UPDATE run SET result = '"Row 8 has no file."', created_at = created_at - 1 WHERE id = ?`, failed);
    await addRun(database(), { kind: 'import', about: { ...table, path: '/uploaded', isUploaded: true }, progress: 3 });
    await addRun(database(), {
      ...{ kind: 'scan', about: { scope: 'queue', isDryRun: false }, state: 'done', endedAt: Date.now() / 1_000 },
      progress: { ...counts, scanned: 250, queued: 12 },
    });
    await addRun(database(), {
      ...{ kind: 'scan', about: { scope: 'count ocr', action: 'ocr', isDryRun: true } },
      progress: { ...counts, scanned: 3, queued: 1 },
    });
    const rows = rowsOf(await admin.open(TASKS)).filter((row) => /\/|derivative/.test(row));
    expect(rows).toEqual([
      '/tables/maps.csvImport of a table400 of 1,200 rows',
      'ocrScan for derivativesInterrupted at 3 media scanned, 1 derivative missing.',
      'All derivativesScan for derivativesFinished: 250 media scanned, 12 derivatives queued.',
      '/tables/views.csvImport of a tableInterrupted at 7 of 1,200 rows.Row 8 has no file.',
    ]);
    await write("DELETE FROM run WHERE kind IN ('import', 'scan')");
  });

  it('shows a scan while a program does it part by part', async () => {
    const scan = '/admin/reports/derivatives/scan?_format=json';
    expect(await (await repository.post(scan, {}, 'admin')).json()).toMatchObject({ finished: true });
    const rows = rowsOf(await admin.open(TASKS)).filter((row) => row.includes('Scan'));
    expect(rows).toEqual([expect.stringMatching(/^All derivativesScan for derivativesFinished: \d+ media scanned/)]);
  });

  it('shows what fails on the server, until it succeeds', async () => {
    const ids = [await new SiteBuilder(repository).node('image', 'A view')];
    const change = async (action: string) => movedTo(await (await confirmPage(admin, 'node', action, ids)).submit());
    await write(`CREATE TRIGGER broken BEFORE UPDATE ON run WHEN NEW.kind = 'bulk' AND NEW.lease IS NOT NULL
      BEGIN SELECT RAISE(ABORT, 'nothing can be leased'); END`);
    const first = await change('unpublish');
    const failing = await until(async () => {
      const page = await admin.open(TASKS);
      return page.elements('li').find(({ text }) => text.includes('nothing can be leased'));
    });
    expect(failing.text).toStartWith('Bulk changes cannot continue at present: ');
    await write('DROP TRIGGER broken');
    await endOf(admin, await change('publish'));
    await endOf(admin, first);
    await until(async () => !(await admin.open(TASKS)).html.includes('Failing on this server'));
  });

  it('shows an unfinished build of the search index', async () => {
    const holder = newLease();
    await write(
      `UPDATE run SET state = 'running', about = '{"version":"x"}', progress = '{"done":100,"total":1200}', lease = ?, lease_until = unixepoch() + 3600
        WHERE kind = 'index'`,
      holder,
    );
    const [row] = rowsOf(await admin.open(TASKS));
    await write("UPDATE run SET state = 'done', lease = NULL WHERE lease = ?", holder);
    expect(row).toBe('A new index of all itemsSearch index100 of 1,200 items');
  });
});
