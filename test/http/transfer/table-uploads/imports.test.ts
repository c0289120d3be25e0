import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { endOf, movedTo } from '../../../support/bulk-call.ts';
import type { OpenPage } from '../../../support/form-call.ts';
import { elementsOf } from '../../../support/page.ts';
import { PNG } from '../../../support/repository-routes.ts';
import { SiteBuilder } from '../../../support/site-builder.ts';
import { type TableBrowser, tableBrowser } from '../../../support/table-upload.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

const LIST = '/admin/imports';

let repository: TestRepository;
let build: SiteBuilder;
let admin: TableBrowser;
let editor: TableBrowser;
beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
  await repository.user('editor', 'repository_editor');
  await repository.user('other', 'repository_editor');
  await repository.user('reader');
  [admin, editor] = await Promise.all([tableBrowser(repository, 'admin'), tableBrowser(repository, 'editor')]);
}, 30_000);
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const rowsOf = ({ html }: Pick<OpenPage, 'html'>, label: string) =>
  elementsOf(html.replaceAll(/<\/t[dh]>/g, ' $&'), `section[aria-label=${label}] tbody tr`).map(({ text }) =>
    text.replace(/\s+/g, ' ').trim(),
  );

/** Imports a table, and returns the path of its import and the ids of its nodes, in the order of the rows. */
async function importTable(table: string, files = {}): Promise<{ path: string; ids: number[] }> {
  const sent = await editor.upload(table, files);
  await editor.settled(sent.path);
  await editor.press(sent.path, { act: 'start' });
  await editor.settled(sent.path);
  const { html } = await editor.open(`${sent.path}/result.csv`);
  const ids = html
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => Number(row.split(',')[3]));
  const path = (await editor.open(LIST)).elements('tbody th a')[0]?.attributes.href ?? '';
  return { path, ids };
}

const statusOf = async (path: string) => (await repository.get(`${path}?_format=json`, 'admin')).status;

describe('the list of imports', () => {
  it('has the imports of a user, by whom and when, with their number of items; administrators see all', async () => {
    const { path, ids } = await importTable('id,title,field_model\na,A bridge,Image\nb,A tower,Image\n');
    expect(path).toMatch(/^\/admin\/imports\/\d+$/);
    expect(rowsOf(await editor.open(LIST), 'Imports')[0]).toMatch(
      /^items\.csv \d+ Created 2 items Finished\. editor \d+ \w+ 20\d\d, \d\d:\d\d$/,
    );
    expect(rowsOf(await admin.open(LIST), 'Imports')).toHaveLength(1);
    expect(rowsOf(await editor.open(path), 'Items')).toEqual([`a A bridge ${ids[0]}`, `b A tower ${ids[1]}`]);
    const other = await tableBrowser(repository, 'other');
    expect((await other.open(LIST)).html).toContain('No table was imported yet.');
    expect((await other.open(path)).status).toBe(404);
    expect((await other.open(`${path}/delete`)).status).toBe(404);
    const reader = await tableBrowser(repository, 'reader');
    expect((await reader.open(LIST)).status).toBe(403);
  });

  it('has the tables of changes, which lead to their bulk change and its undo', async () => {
    const id = await build.node('image', 'A mill');
    const sent = await admin.upload(`node_id,title\n${id},A windmill\n`, {}, { aim: 'node' });
    await admin.settled(sent.path);
    const run = movedTo(await admin.press(sent.path, { act: 'start' }));
    await endOf(admin, run);
    const list = await admin.open(LIST);
    expect(list.elements('tbody th a')[0]?.attributes.href).toBe(run);
    expect(rowsOf(list, 'Imports')[0]).toContain('Changes 1 item Finished: 1 of 1.');
    await endOf(admin, movedTo(await (await admin.open(run)).submit({}, { action: `${run}/undo` })));
    expect(rowsOf(await admin.open(LIST), 'Imports')[0]).toContain('Undone.');
  });
});

describe('the deletion of what an import created', () => {
  it('deletes its items with their media and files, and lets the table be imported again', async () => {
    const table = 'id,title,field_model,file,parent_id\nbook,A book,Paged Content,,\nleaf,A leaf,Page,leaf.png,book\n';
    const { path, ids } = await importTable(table, { 'leaf.png': PNG });
    const media = (await build.read(`/node/${ids[1]}/media`)) as unknown as { mid: { value: number }[] }[];
    const mediaPath = `/media/${media[0]?.mid[0]?.value}`;
    expect(await statusOf(mediaPath)).toBe(200);
    const page = await editor.open(`${path}/delete`);
    expect(page.html).toContain('2 items with their media and files are deleted permanently.');
    const run = movedTo(await page.submit());
    expect((await endOf(editor, run)).counts).toMatchObject({ done: 2, skipped: 0, failed: 0 });
    expect(await Promise.all([`/node/${ids[0]}`, `/node/${ids[1]}`, mediaPath].map(statusOf))).not.toContain(200);
    expect((await editor.open(run)).html).toContain('Delete what the import of “items.csv” created');
    expect(rowsOf(await editor.open(LIST), 'Imports')[0]).toContain('Deleted.');
    expect(rowsOf(await editor.open(path), 'Items')[0]).toStartWith('book Deleted');
    expect((await (await editor.open(`${path}/delete`)).submit()).status).toBe(409);
    const again = await importTable(table, { 'leaf.png': PNG });
    expect(again.path).not.toBe(path);
    expect(await statusOf(`/node/${again.ids[0]}`)).toBe(200);
  });

  it('keeps and names items that somebody has changed since', async () => {
    const { path, ids } = await importTable(
      'id,title,field_model\n1,To stay,Image\n2,To go,Image\n3,With a file,Image\n4,With a member,Collection\n',
    );
    const [changed, unchanged, withFile, withMember] = ids as [number, number, number, number];
    await build.change(`/node/${changed}`, { type: 'islandora_object', title: [{ value: 'By somebody' }] });
    await build.upload(withFile, { name: 'added.png', bytes: PNG as unknown as Bun.BodyInit });
    await build.node('image', 'A new member', { field_member_of: [withMember] });
    const run = movedTo(await (await editor.open(`${path}/delete`)).submit());
    expect((await endOf(editor, run)).counts).toMatchObject({ done: 1, skipped: 3 });
    expect(await Promise.all(ids.map((id) => statusOf(`/node/${id}`)))).toEqual([
      200,
      await statusOf(`/node/${unchanged}`),
      200,
      200,
    ]);
    expect(rowsOf(await editor.open(`${run}?show=skipped`), 'Items').sort()).toEqual([
      'By somebody It has been changed since the import.',
      'With a file Files have been added to it since the import.',
      'With a member It has members that the import did not create, or that stay.',
    ]);
  });
});
