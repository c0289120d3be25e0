import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { makeOds, makeXlsx } from '../../../support/make-spreadsheet.ts';
import { elementsOf } from '../../../support/page.ts';
import { MODEL } from '../../../support/site-builder.ts';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import { type TableBrowser, tableBrowser } from '../../../support/table-upload.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
let site: TableSite;
let admin: TableBrowser;
beforeAll(async () => {
  repository = await createTestRepository();
  site = await createTableSite(repository);
  admin = await tableBrowser(repository, 'admin');
});
afterAll(async () => {
  await site.remove();
  await repository.stop();
});

const HEADER = ['id', 'title', 'field_model', 'field_edtf_date_issued'];
const date = { xml: '<c s="1"><v>43831</v></c>' };

describe('a spreadsheet as a table', () => {
  it('is checked as CSV is, with the rows of its sheet', async () => {
    const rows = [
      HEADER,
      ['1', 'A map', MODEL.image, date],
      ['2', '', MODEL.image],
      [],
      ['1', 'Late', MODEL.image, '1908-13'],
    ];
    const check = await site.check(await makeXlsx({ formats: [0, 14], sheets: [{ name: 'a', rows }] }));
    expect(check.rows).toBe(3);
    expect(check.problems.map(({ line, column }) => [line, column])).toEqual([
      [3, 'title'],
      [5, 'field_edtf_date_issued'],
      [5, 'id'],
    ]);
    expect(check.problems.at(-1)?.message).toBe('Row 2 already has the id "1".');
  });

  it('tells the progress of its check in bytes of the file', async () => {
    const rows = [HEADER, ...Array.from({ length: 2_000 }, (_, at) => [`${at}`, `Item ${at}`, MODEL.image])];
    const bytes = await makeXlsx({ sheets: [{ name: 'a', rows }] });
    const seen: number[] = [];
    const { sha256 } = await site.check(
      bytes,
      {},
      { onProgress: ({ bytes: read, totalBytes }) => seen.push(read / totalBytes) },
    );
    expect(seen.at(-1)).toBeGreaterThan(0.5);
    expect(sha256).toBe(new Bun.CryptoHasher('sha256').update(bytes).digest('hex'));
  });

  it('is imported in a browser, each sheet for itself', async () => {
    const sheet = (name: string, title: string) => ({ name, rows: [HEADER.slice(0, 3), ['1', title, 'Image']] });
    const bytes = await makeXlsx({ sheets: [sheet('Maps', 'A map of a sheet'), sheet('Plans', 'A plan of a sheet')] });
    for (const name of ['', 'Plans']) {
      const { path } = await admin.upload(bytes);
      await admin.settled(path);
      await admin.press(path, { act: 'check', sheet: name });
      const checked = await admin.settled(path);
      expect(elementsOf(checked.html, 'input[name=sheet]')[0]?.attributes.value ?? '').toBe(name);
      await admin.press(path, { act: 'start' });
      expect(elementsOf((await admin.settled(path)).html, 'h2')[0]?.text).toBe('The table is imported');
    }
    const titles = JSON.stringify(await (await repository.get('/search?q=sheet&_format=json')).json());
    expect(titles).toContain('A map of a sheet');
    expect(titles).toContain('A plan of a sheet');
  });

  it('of OpenDocument is imported, too', async () => {
    const cell = (text: string) =>
      `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`;
    const row = (cells: readonly string[]) => `<table:table-row>${cells.map(cell).join('')}</table:table-row>`;
    const bytes = await makeOds(
      `<table:table table:name="a">${row(HEADER.slice(0, 3))}${row(['1', 'Of a document', 'Image'])}</table:table>`,
    );
    expect((await site.check(bytes)).problems).toEqual([]);
  });
});
