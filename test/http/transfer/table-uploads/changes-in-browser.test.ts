import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { endOf } from '../../../support/bulk-call.ts';
import type { OpenPage } from '../../../support/form-call.ts';
import { elementsOf } from '../../../support/page.ts';
import { SiteBuilder } from '../../../support/site-builder.ts';
import { type TableBrowser, tableBrowser } from '../../../support/table-upload.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../../support/test-repository.ts';
import { createUpdateSite, type UpdateSite } from '../../../support/update-site.ts';

let repository: TestRepository;
let site: UpdateSite;
let build: SiteBuilder;
let editor: TableBrowser;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('editor', 'repository_editor');
  site = await createUpdateSite(repository);
  build = new SiteBuilder(repository);
  editor = await tableBrowser(repository, 'editor');
}, 30_000);
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await site.remove();
  await repository.stop();
});

const make = async (title: string): Promise<number> =>
  ((await repository.node({ title: [{ value: title }], field_identifier: [{ value: 'a' }] })) as EntityJson).nid[0]
    .value;
const titleOf = async (id: number) => (await build.read(`/node/${id}`)).title[0].value;
const CHANGE = { aim: 'node' };

/** Uploads a table of changes, and returns its page. */
async function checked(table: string, fields: Record<string, string> = CHANGE): Promise<OpenPage> {
  const sent = await editor.upload(table, {}, fields);
  return editor.settled(sent.path);
}

const rowsOf = (html: string, label: string) =>
  elementsOf(html.replaceAll(/<\/t[dh]>/g, ' $&'), `section[aria-label=${label}] tbody tr`).map(({ text }) =>
    text.replace(/\s+/g, ' ').trim(),
  );

describe('a table of changes in a browser', () => {
  it('shows each cell that would change, then changes it in a bulk change that can be undone', async () => {
    const [one, two] = [await make('Harbor'), await make('Bridge')];
    const page = await checked(`node_id,title,field_identifier\n${one},Harbour,-\n${two},Bridge,a\n`);
    expect(elementsOf(page.html, 'h2')[0]?.text).toBe('The table can be applied');
    expect(page.html).toContain('It changes 1 item of 2 rows.');
    expect(page.html).toContain('1 cell would lose all values.');
    expect(rowsOf(page.html, 'Columns')).toEqual(['title 1', 'field_identifier 1']);
    expect(rowsOf(page.html, 'Changes')).toEqual([
      '1 Harbor title Harbor Harbour',
      '1 Harbor field_identifier a No value',
    ]);
    expect(await titleOf(one)).toBe('Harbor');
    const started = await editor.press(page.path, { act: 'start', reason: 'British spelling' });
    const run = new URL(started.headers.get('location') ?? '').pathname;
    expect(run).toMatch(/^\/admin\/content\/bulk\/\d+$/);
    expect((await endOf(editor, run)).counts).toMatchObject({ done: 1, failed: 0 });
    expect(await titleOf(one)).toBe('Harbour');
    expect(JSON.stringify(await build.read(`/node/${one}/revisions`))).toContain('British spelling');
    expect((await editor.open(page.path)).html).toContain(`href="${run}"`);
    const undone = await (await editor.open(run)).submit({}, { action: `${run}/undo` });
    await endOf(editor, new URL(undone.headers.get('location') ?? '').pathname);
    expect(await titleOf(one)).toBe('Harbor');
  });

  it('adds and removes values in the columns that the choices name', async () => {
    const id = await make('A lock');
    const page = await checked(`node_id,field_identifier\n${id},b\n`);
    await editor.press(page.path, { act: 'check', ...CHANGE, append: 'field_identifier' });
    const again = await editor.settled(page.path);
    expect(rowsOf(again.html, 'Changes')).toEqual(['1 A lock field_identifier a a|b']);
    const both = { append: 'field_identifier', remove: 'field_identifier' };
    expect((await editor.press(page.path, { act: 'check', ...CHANGE, ...both })).status).toBe(422);
  });

  it('finds the items by the field that a choice names', async () => {
    const node = (await repository.node({ field_identifier: [{ value: 'lock-7' }] })) as EntityJson;
    const page = await checked('field_identifier,title\nlock-7,The seventh lock\n');
    expect(page.html).toContain('enter its name under &quot;Column that names the rows&quot;, and check again');
    await editor.press(page.path, { act: 'check', ...CHANGE, key: 'field_identifier' });
    await editor.press(page.path, { act: 'start' });
    const { html } = await editor.open(page.path);
    await endOf(editor, /\/admin\/content\/bulk\/\d+/.exec(html)?.[0] ?? '');
    expect(await titleOf(node.nid[0].value)).toBe('The seventh lock');
  });

  it('reports items that were changed since the export, and overwrites them on request', async () => {
    const id = await make('A mill');
    const row = await site.row(id);
    await build.change(`/node/${id}`, { type: 'islandora_object', title: [{ value: 'A watermill' }] });
    const page = await checked(`node_id,revision,title\n${id},${row.revision},A windmill\n`);
    expect(rowsOf(page.html, 'Problems')[0]).toContain(
      'It was changed since the export, to "A watermill". Export again, or choose to overwrite it, and check again.',
    );
    expect((await editor.press(page.path, { act: 'start' })).status).toBe(409);
    await editor.press(page.path, { act: 'check', ...CHANGE, overwrite: '1' });
    const again = await editor.settled(page.path);
    expect(rowsOf(again.html, 'Changes')).toEqual(['1 A watermill title A watermill A windmill']);
  });

  it('names problems by row, line and column, and offers them as a table', async () => {
    const id = await make('A weir');
    const page = await checked(`node_id,title,field_edtf_date_issued\n${id},-,1999-13\n`);
    expect(rowsOf(page.html, 'Problems').map((each) => each.slice(0, 30))).toEqual([
      '1 2 field_edtf_date_issued 199',
      '1 2 title A value is required ',
    ]);
    expect((await editor.open(`${page.path}/problems.csv`)).html).toContain('\n1,2,title,');
  });

  it('says so if the table changes nothing, and changes media and terms', async () => {
    const id = await make('A quay');
    const none = await checked(`node_id,title\n${id},A quay\n`);
    expect(none.html).toContain('The table changes nothing');
    expect((await editor.press(none.path, { act: 'start' })).status).toBe(409);
    const term = await build.term('subject', 'Ships');
    const page = await checked(`term_id,term_name\n${term},Vessels\n`);
    expect(page.html).toContain('choose &quot;Change terms&quot;, and check again');
    await editor.press(page.path, { act: 'check', aim: 'taxonomy_term' });
    expect(rowsOf((await editor.settled(page.path)).html, 'Changes')).toEqual(['1 Ships term_name Ships Vessels']);
  });

  it('rejects an unknown purpose', async () => {
    expect((await editor.upload('node_id,title\n1,x\n', {}, { aim: 'delete' })).status).toBe(422);
  });
});
