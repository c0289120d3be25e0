import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import type { NodeType } from '../../../../src/model/content-model.ts';
import { tableTemplate } from '../../../../src/transfer/export/table-template.ts';
import { columnLetters } from '../../../../src/transfer/spreadsheet/sheet-row.ts';
import { readHeader, readTable } from '../../../../src/transfer/table/read-table.ts';
import { elementsOf } from '../../../support/page.ts';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import { IMPORTS, type TableBrowser, tableBrowser } from '../../../support/table-upload.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
let site: TableSite;
let admin: TableBrowser;
beforeAll(async () => {
  repository = await createTestRepository();
  site = await createTableSite(repository);
  admin = await tableBrowser(repository, 'admin');
}, 30_000);
afterAll(async () => {
  await site.remove();
  await repository.stop();
});

const made = async (name: string) => {
  const type = site.context.services.model.nodeTypes.get('islandora_object') as NodeType;
  return Buffer.concat(await Array.fromAsync(await tableTemplate(site.context, type, name)));
};

describe('an empty table', () => {
  it.each(['empty.xlsx', 'empty.ods', 'empty.csv'])(
    'has a column for each field, and help that imports skip: %s',
    async (name) => {
      const file = join(site.folder, name);
      await writeFile(file, await made(name));
      const form = { delimiter: ',' };
      const header = await readHeader(file, form);
      expect(header.slice(0, 4)).toEqual(['id', 'parent_id', 'title', 'published']);
      expect(header).toEqual(expect.arrayContaining(['field_model', 'field_edtf_date_issued', 'file', 'checksum']));
      expect((await Array.fromAsync(readTable(file, form))).flat()).toEqual([]);
      expect((await site.check(await made(name))).problems.map(({ message }) => message)).toEqual([
        'The table has a header and no rows.',
      ]);
    },
  );

  it('offers the terms of small vocabularies, and the values of lists, from its third row', async () => {
    const book = await readXlsx(await made('empty.xlsx'));
    const [table, lists] = book.sheets;
    const header = table?.rows[0] as string[];
    const help = table?.rows[1] as string[];
    expect(help[0]).toBe('# The unique name of the row (required).');
    expect(help[header.indexOf('field_model')]).toStartWith('Model (required).');
    const ranges = new Map(table?.dataValidations?.map(({ range, formula1 }) => [range, formula1]));
    const letters = columnLetters(header.indexOf('published'));
    const formula = ranges.get(`${letters}3:${letters}1048576`) ?? '';
    expect(formula).toMatch(/^Lists!\$[A-Z]+\$1:\$[A-Z]+\$2$/);
    expect(lists).toMatchObject({ name: 'Lists', hidden: true });
    const texts = lists?.rows.flat() ?? [];
    expect(texts).toEqual(expect.arrayContaining(['1', '0', 'en', 'Image', 'Paged Content']));
  });

  it('is linked from the page of imports, for the types whose items the user may create', async () => {
    const { html } = await admin.open(IMPORTS);
    const link = elementsOf(html, `a[href*="template.xlsx"]`)[0]?.attributes.href ?? '';
    const response = await repository.fetch(link.replace(repository.url, ''), { as: 'admin' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="islandora_object.xlsx"');
    expect(Buffer.from(await response.arrayBuffer()).equals(await made('a.xlsx'))).toBe(true);
    expect(
      (await repository.fetch('/admin/content/import/template.xlsx?content_type=other', { as: 'admin' })).status,
    ).toBe(404);
    await repository.user('template_reader');
    expect((await repository.fetch('/admin/content/import/template.xlsx', { as: 'template_reader' })).status).toBe(403);
  });
});
