import { afterAll, beforeAll, expect, it } from 'bun:test';
import { folderNameOf } from '../../src/base/process-identity.ts';
import { findTableUpload } from '../../src/transfer/table-uploads/table-upload-store.ts';
import { endedProcess } from '../support/ended-process.ts';
import { elementsOf } from '../support/page.ts';
import { IMPORTS, type TableBrowser, tableBrowser } from '../support/table-upload.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const ROWS = 1_000;

let repository: TestRepository;
let admin: TableBrowser;
beforeAll(async () => {
  repository = await createTestRepository();
  admin = await tableBrowser(repository, 'admin');
});
afterAll(() => repository.stop());

const tableOf = (title: string, rows: number) =>
  `id,title,field_model\n${Array.from({ length: rows }, (_, at) => `${at},${title} ${at},Image`).join('\n')}\n`;
const count = async (title: string) => {
  const { rows } = await repository.running.services.database.client.execute({
    sql: 'SELECT count(*) FROM node WHERE label LIKE ?',
    args: [`${title} %`],
  });
  return Number((rows[0] as unknown as number[])[0]);
};
const begun = async (title: string, rows = ROWS) => {
  const { path } = await admin.upload(tableOf(title, rows));
  await admin.settled(path);
  await admin.press(path, { act: 'start' });
  await until(async () => (await count(title)) > 0);
  return path;
};
const finish = async (path: string) => {
  expect((await admin.press(path, { act: 'start' })).status).toBe(303);
  expect(elementsOf((await admin.settled(path)).html, 'h2')[0]?.text).toBe('The table is imported');
};

it('an import continues after a restart of the server, and creates nothing twice', async () => {
  const path = await begun('Restarted');
  await repository.restart();
  const page = await admin.open(path);
  expect(elementsOf(page.html, 'button').map(({ text }) => text)).toContain('Continue the import');
  expect(await count('Restarted')).toBeLessThan(ROWS);
  await finish(path);
  expect(await count('Restarted')).toBe(ROWS);
});

it('an import stops on request, and continues', async () => {
  const path = await begun('Stopped', 4 * ROWS);
  expect((await admin.press(path, { act: 'remove' })).status).toBe(409);
  expect((await admin.press(path, { act: 'start' })).status).toBe(409);
  expect((await admin.press(path, { act: 'stop' })).status).toBe(303);
  const page = await admin.settled(path);
  expect(page.html).toContain('Stopped. Uploaded');
  await finish(path);
  expect(await count('Stopped')).toBe(4 * ROWS);
});

it('an import stops when its user is blocked', async () => {
  await repository.user('loader', 'repository_editor');
  const loader = await tableBrowser(repository, 'loader');
  const { path } = await loader.upload(tableOf('Blocked', 4 * ROWS));
  await loader.settled(path);
  await loader.press(path, { act: 'start' });
  await until(async () => (await count('Blocked')) > 0);
  const { database } = repository.running.services;
  await database.write([`UPDATE user SET status = 0 WHERE name = 'loader'`]);
  const id = Number(path.split('/').at(-1));
  await until(async () => (await findTableUpload(database, id))?.state === 'stopped');
  expect(await count('Blocked')).toBeLessThan(4 * ROWS);
});

const IMPORTING = "state = 'running', ended_at = NULL, about = json_set(about, '$.work', 'importing')";

it('an import of a killed server can be continued', async () => {
  const { path } = await admin.upload(tableOf('Killed', 2));
  await admin.settled(path);
  const { database } = repository.running.services;
  await database.write([
    {
      sql: `UPDATE run SET ${IMPORTING}, lease = ?, lease_until = unixepoch() + 60 WHERE id = ?`,
      args: [`${folderNameOf(endedProcess())}/1`, Number(path.split('/').at(-1))],
    },
  ]);
  const page = await admin.open(path);
  expect(page.html).toContain('Interrupted. Uploaded');
  await finish(path);
  expect(await count('Killed')).toBe(2);
});

it('a third concurrent import is rejected with 409, while the list of imports is shown', async () => {
  const { database } = repository.running.services;
  const busy = [];
  for (const title of ['One', 'Two', 'Three']) {
    const { path } = await admin.upload(tableOf(title, 1));
    await admin.settled(path);
    busy.push(path);
  }
  const ids = busy.slice(0, 2).map((path) => Number(path.split('/').at(-1)));
  await database.write([
    {
      sql: `UPDATE run SET ${IMPORTING}, lease = 'elsewhere-1-2-3/1', lease_until = unixepoch() + 60
        WHERE id IN (SELECT value FROM json_each(?))`,
      args: [JSON.stringify(ids)],
    },
  ]);
  expect((await admin.open(IMPORTS)).html).toContain('Being imported');
  expect((await admin.press(busy[2] as string, { act: 'start' })).status).toBe(409);
});
