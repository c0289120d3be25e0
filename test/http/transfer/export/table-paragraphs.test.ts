import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { exportedTable, importExported } from '../../../support/export-site.ts';
import { createParagraphSite, type ParagraphSite, pathOf, refer } from '../../../support/paragraph-site.ts';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import type { EntityJson } from '../../../support/test-repository.ts';

let site: ParagraphSite;
let tables: TableSite;
beforeAll(async () => {
  site = await createParagraphSite();
  tables = await createTableSite(site.repository);
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await tables.remove();
  await site.stop();
});

const REPORTS = { contentType: 'report' };
const tableOf = (target: object) =>
  `id,title,field_parts\n1,A report,"${JSON.stringify(target).replaceAll('"', '""')}"\n`;
const parentOf = async (paragraph: EntityJson) => (await site.read(pathOf(paragraph))).parent_id;

describe('a table', () => {
  it('contains paragraphs by id, which the export reports', async () => {
    const paragraph = await site.paragraph();
    const report = await site.report([refer(paragraph)]);
    const { rows, summary } = await exportedTable(tables.context, { nodes: [report.nid[0].value] });
    const cell = rows[report.nid[0].value]?.field_parts ?? '';
    expect(JSON.parse(cell)).toEqual([{ ...refer(paragraph) }]);
    expect([...summary.losses.keys()]).toContain('paragraphs in field_parts: referenced by id, and not copied');
  });

  it('adds unattached paragraphs to a new node', async () => {
    const paragraph = await site.paragraph();
    const table = tableOf({ target_id: refer(paragraph).target_id });
    expect(await tables.problems(table, REPORTS)).toEqual([]);
    const file = await tables.write(table);
    const whole = { ...(await exportedTable(tables.context, { nodes: [] })), table: file };
    await importExported(tables.context, whole, { ...REPORTS, files: undefined });
    expect(await parentOf(paragraph)).not.toEqual([]);
  });

  it('is rejected if its paragraphs are missing or belong to something else', async () => {
    const paragraph = await site.paragraph();
    const { nid } = await site.report([refer(paragraph)]);
    const { target_id } = refer(paragraph);
    expect(await tables.problems(tableOf(refer(paragraph)), REPORTS)).toEqual([
      `1 field_parts: "${target_id}": This entity (paragraph: ${target_id}) cannot be referenced: it belongs to node ${nid[0].value}, and a paragraph belongs to one entity only.`,
    ]);
    expect(await tables.problems(tableOf({ target_id: 999_999 }), REPORTS)).toEqual([
      '1 field_parts: "999999": The referenced entity (paragraph: 999999) does not exist.',
    ]);
  });
});
