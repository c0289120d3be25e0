import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { clearTableUploads } from '../../../../src/transfer/table-uploads/clear-table-uploads.ts';
import { createTableUploadFolders } from '../../../../src/transfer/table-uploads/table-upload-folders.ts';
import { elementsOf } from '../../../support/page.ts';
import { PNG } from '../../../support/repository-routes.ts';
import { IMPORTS, type TableBrowser, tableBrowser } from '../../../support/table-upload.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

const TABLE = 'id,title,field_model,file\n1,A bridge,Image,bridge.png\n2,A tower,Image,\n';

let repository: TestRepository;
let admin: TableBrowser;
let editor: TableBrowser;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('reader');
  await repository.user('editor', 'repository_editor');
  [admin, editor] = await Promise.all([tableBrowser(repository, 'admin'), tableBrowser(repository, 'editor')]);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const folders = async () => readdir(join(repository.dataFolder, 'imports')).catch(() => []);
const unique = (title: string) => TABLE.replace('A tower', title);
const problemsOf = (html: string) =>
  elementsOf(html, 'section[aria-label=Problems] tbody tr').map(({ text }) => text.replace(/\s+/g, ' '));

describe('the import of a table in a browser', () => {
  it('checks the table, creates its items and offers the results', async () => {
    const sent = await admin.upload(TABLE, { 'bridge.png': PNG });
    expect(sent.status).toBe(303);
    expect(sent.path).toMatch(/^\/admin\/content\/import\/\d+$/);
    const checked = await admin.settled(sent.path);
    expect(checked.html).toContain('2 items and 1 file of');
    expect((await admin.press(sent.path, { act: 'start' })).status).toBe(303);
    const done = await admin.settled(sent.path);
    expect(elementsOf(done.html, 'h2')[0]?.text).toBe('The table is imported');
    const result = await admin.open(`${sent.path}/result.csv`);
    const [header, first = ''] = result.html.split('\n');
    expect(header).toBe('row,id,status,node_id,uuid,url,media');
    expect(first).toMatch(/^1,1,loaded,\d+,[0-9a-f-]{36},http:.*\/node\/\d+,file:\d+$/);
    const node = (await (await repository.get(`/node/${first.split(',')[3]}?_format=json`)).json()) as {
      title: { value: string }[];
    };
    expect(node.title[0]?.value).toBe('A bridge');
    const progress = await repository.fetch(`${sent.path}?_format=json`, { as: 'admin' });
    expect(await progress.json()).toMatchObject({ state: 'done', part: 1, nodes: 2, files: 1, problems: 0 });
  });

  it('has a table of results whose cells are no formulas', async () => {
    const sent = await admin.upload('id,title,field_model\n=1+1,Computed,Image\n-2,Negative,Image\n');
    await admin.settled(sent.path);
    await admin.press(sent.path, { act: 'start' });
    await admin.settled(sent.path);
    const [, ...rows] = (await admin.open(`${sent.path}/result.csv`)).html.trim().split('\n');
    expect(rows.map((row) => row.split(',').slice(0, 3))).toEqual([
      ['1', "'=1+1", 'loaded'],
      ['2', "'-2", 'loaded'],
    ]);
  });

  it('creates items owned by the user', async () => {
    const sent = await editor.upload('id,title,field_model\n1,Of the editor,Image\n');
    await editor.settled(sent.path);
    await editor.press(sent.path, { act: 'start' });
    await editor.settled(sent.path);
    const { html } = await editor.open(`${sent.path}/result.csv`);
    const node = (await (await repository.get(`/node/${html.split('\n')[1]?.split(',')[3]}?_format=json`)).json()) as {
      uid: { target_id: number }[];
    };
    expect(node.uid[0]?.target_id).not.toBe(1);
  });

  it('recognizes a table that was imported before, and repeats it on request', async () => {
    const table = unique('A tower that comes twice');
    const first = await admin.upload(table, { 'bridge.png': PNG });
    await admin.settled(first.path);
    await admin.press(first.path, { act: 'start' });
    await admin.settled(first.path);
    const second = await admin.upload(table, { 'bridge.png': PNG });
    expect((await admin.settled(second.path)).html).toContain('This table was imported before');
    expect((await admin.press(second.path, { act: 'start' })).status).toBe(409);
    await admin.press(second.path, { act: 'check', again: '1' });
    expect((await admin.settled(second.path)).html).toContain('The table can be imported');
  });

  it('creates missing terms of the chosen vocabularies', async () => {
    const sent = await admin.upload(
      'id,title,field_model,field_linked_agent\n1,A map,Image,"relators:aut:person:Doe, Jane"\n',
    );
    const { html } = await admin.settled(sent.path);
    expect(problemsOf(html)[0]).toContain('tick "person" under "New terms"');
    await admin.press(sent.path, { act: 'check', create_terms: ['person'] });
    const again = await admin.settled(sent.path);
    expect(again.html).toContain('1 item, 0 files and 1 new term');
    expect(elementsOf(again.html, 'input[name=create_terms][checked]').length).toBe(1);
    await admin.press(sent.path, { act: 'check', create_terms: ['person'], no_new_terms: '1' });
    expect(problemsOf((await admin.settled(sent.path)).html)[0]).toContain('forbids creating it');
  });

  it('accepts files and a corrected table later', async () => {
    const sent = await admin.upload(unique('A tower of later files'));
    const { html } = await admin.settled(sent.path);
    expect(problemsOf(html)).toEqual([expect.stringContaining('The file "bridge.png" was not uploaded.')]);
    expect((await admin.add(sent.path, {})).status).toBe(422);
    expect((await admin.add(sent.path, { 'bridge.png': PNG })).status).toBe(303);
    expect((await admin.settled(sent.path)).html).toContain('The table can be imported');
    await admin.add(sent.path, {}, 'id,title,field_model\n');
    expect((await admin.settled(sent.path)).html).toContain('1 problem');
  });

  it('removes the files after the import, and a table on request or after a day', async () => {
    const sent = await admin.upload(unique('A tower to remove'), { 'bridge.png': PNG });
    await admin.settled(sent.path);
    const before = (await folders()).length;
    expect((await admin.press(sent.path, { act: 'remove' })).status).toBe(303);
    expect((await folders()).length).toBe(before - 1);
    expect((await admin.open(sent.path)).status).toBe(404);
    const { database } = repository.running.services;
    const all = createTableUploadFolders(join(repository.dataFolder, 'imports'), 1);
    await clearTableUploads(database, all, Math.floor(Date.now() / 1_000));
    expect((await folders()).length).toBe(before - 1);
    await clearTableUploads(database, all, Math.floor(Date.now() / 1_000) + 90_000);
    expect(await folders()).toEqual([]);
    expect(elementsOf((await admin.open(IMPORTS)).html, 'table')).toEqual([]);
  });
});

describe('a table with problems', () => {
  it.each<[string, string | Uint8Array, string]>([
    ['of another encoding', Buffer.from('id,title\n1,Caf\xe9\n', 'latin1'), 'is not UTF-8'],
    ['with unknown columns', 'id,title,field_modell\n1,A,B\n', 'field_modell'],
    ['without a byte', '', 'The table is empty'],
    ['that is no whole spreadsheet', Buffer.from('PK\x03\x04rest'), 'The spreadsheet cannot be read'],
    ['with another delimiter', 'id;title\n1;A\n', 'the choice ";" between cells'],
  ])('%s is shown with its problems, and not imported', async (_, table, message) => {
    const sent = await admin.upload(table);
    expect(sent.status).toBe(303);
    const { html } = await admin.settled(sent.path);
    expect(problemsOf(html).join('\n')).toContain(message);
    expect(html).not.toContain(repository.dataFolder);
    // The message of the command line names its options. An attribute may have two hyphens by chance: that of a token.
    expect(elementsOf(html, 'main')[0]?.text).not.toContain('--');
    expect((await admin.press(sent.path, { act: 'start' })).status).toBe(409);
  });

  it('of 10,000 rows shows the first hundred of 500, and offers all', async () => {
    const rows = Array.from(
      { length: 10_000 },
      (_, at) => `${at + 1},Item ${at + 1},Image,${at % 20 === 0 ? `19${at}-99` : '1920'}`,
    );
    const sent = await admin.upload(`id,title,field_model,field_edtf_date_created\n${rows.join('\n')}\n`);
    const { html } = await admin.settled(sent.path);
    expect(elementsOf(html, 'h2')[0]?.text).toBe('500 problems');
    expect(problemsOf(html).length).toBe(100);
    const download = await admin.open(`${sent.path}/problems.csv`);
    expect(download.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(download.html.trim().split('\n').length).toBe(501);
    expect(download.html).toContain('field_edtf_date_created');
  });

  it('is shown with files that no row names, and empty files', async () => {
    const sent = await admin.upload('id,title,field_model,file\n1,Empty,Image,empty.png\n', {
      'empty.png': '',
      'stray.png': PNG,
    });
    const { html } = await admin.settled(sent.path);
    const warnings = elementsOf(html, '.warning').map(({ text }) => text);
    expect(warnings).toEqual([expect.stringContaining('stray.png'), expect.stringContaining('empty.png')]);
  });
});

describe('a form for a table', () => {
  it('without a table is shown again', async () => {
    const count = (await folders()).length;
    const { status, html } = await admin.upload(undefined, { 'bridge.png': PNG });
    expect(status).toBe(422);
    expect(elementsOf(html, '.error-summary a').map(({ attributes }) => attributes.href)).toEqual(['#table']);
    expect((await folders()).length).toBe(count);
  });

  it('without the token stores nothing', async () => {
    const count = (await folders()).length;
    const form = new FormData();
    form.append('table', new File([TABLE], 'items.csv'));
    const response = await repository.fetch(IMPORTS, { method: 'POST', body: form, as: 'admin' });
    expect(response.status).toBe(403);
    expect((await folders()).length).toBe(count);
  });

  it('rejects a file name that leaves the folder', async () => {
    for (const name of ['..', 'a\u0000b.png']) {
      const { status } = await admin.upload(TABLE, { [name]: PNG });
      expect([303, 400]).toContain(status);
    }
    expect(await readdir(repository.dataFolder)).not.toContain('a');
  });

  it('rejects invalid choices, and keeps them in the form', async () => {
    const sent = await admin.upload(unique('A tower of choices'), { 'bridge.png': PNG });
    const page = await admin.press(sent.path, { act: 'check', additional_files: 'nonsense', subdelimiter: '' });
    expect(page.status).toBe(422);
    expect(elementsOf(page.html, '.error-summary a').length).toBe(2);
    expect((await admin.press(sent.path, { act: 'explode' })).status).toBe(400);
  });

  it('requires the permission to create items', async () => {
    expect((await repository.get(IMPORTS, 'reader', { Accept: 'text/html' })).status).toBe(403);
    expect((await repository.get(IMPORTS, undefined, { Accept: 'text/html' })).status).toBe(401);
    const reader = await tableBrowser(repository, 'reader');
    expect((await reader.upload(TABLE)).status).toBe(403);
  });

  it('hides the tables of other users', async () => {
    const sent = await admin.upload(unique('A tower of the administrator'));
    for (const path of ['', '/problems.csv', '/result.csv'])
      expect((await editor.open(`${sent.path}${path}`)).status).toBe(404);
    expect((await editor.press(sent.path, { act: 'remove' })).status).toBe(404);
    expect((await editor.add(sent.path, { 'bridge.png': PNG })).status).toBe(404);
  });
});
