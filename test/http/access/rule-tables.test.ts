import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { changesTable } from '../../../src/transfer/export/changes-table.ts';
import { confirmPage, endOf, movedTo } from '../../support/bulk-call.ts';
import { type FormBrowser, signedIn } from '../../support/form-call.ts';
import { createImportSite, type ImportSite } from '../../support/import-site.ts';
import { MODEL } from '../../support/site-builder.ts';
import { loadContextOf } from '../../support/table-site.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { createUpdateSite, type UpdateSite } from '../../support/update-site.ts';

let repository: TestRepository;
let site: UpdateSite;
let imports: ImportSite;
let admin: FormBrowser;

beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('lister', 'content_editor');
  site = await createUpdateSite(repository);
  imports = await createImportSite(repository);
  admin = await signedIn(repository, 'admin');
}, 30_000);
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await site.remove();
  await imports.remove();
  await repository.stop();
});

const item = async (rule?: object): Promise<number> =>
  (await repository.build.item({ title: ['Letters'], ...(rule && { access_rule: [rule] }) })).nid[0].value;
const ruleOf = async (id: number) =>
  ((await (await repository.get(`/node/${id}?_format=json`, 'admin')).json()) as { access_rule?: object[] })
    .access_rule?.[0];
const EMBARGO = { preset: 'embargo', until: '2999-05-01', reason: 'By contract' };

describe('the column access_rule of a table of changes', () => {
  it('has the name of a preset, or a rule as JSON', async () => {
    const row = async (rule?: object) => (await site.row(await item(rule))).access_rule;
    expect(await row()).toBe('');
    expect(await row({ preset: 'closed' })).toBe('closed');
    expect(JSON.parse((await row(EMBARGO)) ?? '')).toEqual([EMBARGO]);
  });

  it('sets, replaces and lifts rules, and is undone', async () => {
    const [plain, closed, embargo] = [await item(), await item({ preset: 'closed' }), await item(EMBARGO)];
    const cells = ['closed', JSON.stringify({ ...EMBARGO, reason: 'Until the patent' }), '-'];
    const rows = await Promise.all([plain, closed, embargo].map(site.row));
    const run = await site.update(rows.map((row, at) => ({ ...row, access_rule: cells[at] ?? '' })));
    expect(run.counts).toMatchObject({ done: 3, failed: 0 });
    expect(await ruleOf(plain)).toEqual({ preset: 'closed' });
    expect(await ruleOf(closed)).toEqual({ ...EMBARGO, reason: 'Until the patent' });
    expect(await ruleOf(embargo)).toBeUndefined();
    await site.undo(run);
    expect(await ruleOf(plain)).toBeUndefined();
    expect(await ruleOf(closed)).toEqual({ preset: 'closed' });
    expect(await ruleOf(embargo)).toEqual(EMBARGO);
  });

  it('keeps a rule whose cell is empty, and reports an invalid one', async () => {
    const id = await item({ preset: 'closed' });
    const row = await site.row(id);
    await site.update([{ ...row, title: 'Renamed', access_rule: '' }]);
    expect(await ruleOf(id)).toEqual({ preset: 'closed' });
    const again = await site.row(id);
    expect(await site.problems([{ ...again, access_rule: 'secret' }])).toEqual([
      expect.stringContaining('no access preset "secret"'),
    ]);
    expect(await site.problems([{ ...again, access_rule: 'embargo' }])).toEqual([
      expect.stringContaining('needs the day on which it ends'),
    ]);
  });

  it('does not bring back a rule that was replaced since the export', async () => {
    const id = await item({ preset: 'open' });
    const row = await site.row(id);
    await repository.build.change(`/node/${id}`, { type: 'islandora_object', access_rule: [{ preset: 'closed' }] });
    expect(await site.problems([{ ...row, title: 'Renamed' }])).not.toEqual([]);
    expect(await ruleOf(id)).toEqual({ preset: 'closed' });
  });

  it('is empty for those who may not change the item', async () => {
    const id = await item({ preset: 'only_description' });
    expect(await ruleOf(id)).toBeDefined();
    let text = '';
    const context = await loadContextOf(repository, 'lister');
    for await (const part of changesTable(context, { ids: [id] }, new AbortController().signal)) text += part;
    expect(text).toContain('Letters');
    expect(text).not.toContain('only_description');
  });
});

describe('an import', () => {
  it('creates items with rules', async () => {
    const json = JSON.stringify(EMBARGO).replaceAll('"', '""');
    const file = await imports.table(
      'rules.csv',
      `id,title,field_model,access_rule\nr1,One,${MODEL.image},closed\nr2,Two,${MODEL.image},"${json}"\nr3,Three,${MODEL.image},\n`,
    );
    expect(await imports.import(file)).toMatchObject({ rows: 3, nodes: 3 });
    const ids = (await imports.result(file)).map((line) => Number(line.split(',')[3]));
    expect(await Promise.all(ids.map(ruleOf))).toEqual([{ preset: 'closed' }, EMBARGO, undefined]);
    expect((await repository.get(`/node/${ids[0]}?_format=json`)).status).toBe(401);
  });
});

describe('a change of many items', () => {
  async function change(ids: readonly number[], operation: string, values: Record<string, string> = {}) {
    const page = await confirmPage(admin, 'node', 'values', ids);
    const form = await page.submit({ field: 'access_rule', operation }, { button: ['do', 'edit'] });
    const preview = await form.submit(values, { button: ['do', 'preview'] });
    expect(preview.status).toBe(200);
    return endOf(admin, movedTo(await preview.submit({}, { button: ['do', 'save'] })));
  }

  it('sets and lifts a rule', async () => {
    const ids = [await item(), await item(EMBARGO)];
    const values = { 'value.0.preset': 'closed', 'value.0.reason': 'Private' };
    expect((await change(ids, 'set', values)).counts).toMatchObject({ done: 2, failed: 0 });
    for (const id of ids) expect(await ruleOf(id)).toEqual({ preset: 'closed', reason: 'Private' });
    expect((await change(ids, 'clear')).counts).toMatchObject({ done: 2, failed: 0 });
    for (const id of ids) {
      expect(await ruleOf(id)).toBeUndefined();
      expect((await repository.get(`/node/${id}?_format=json`)).status).toBe(200);
    }
  });
});
