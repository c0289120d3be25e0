import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ExportProblem } from '../../../../src/transfer/export/export-report.ts';
import { exportTable } from '../../../../src/transfer/export/export-table.ts';
import { selectNodes } from '../../../../src/transfer/export/select-nodes.ts';
import { readHeader, readTable } from '../../../../src/transfer/table/read-table.ts';
import { USUAL_TABLE_OPTIONS } from '../../../../src/transfer/table/table-options.ts';
import { checkUpdate } from '../../../../src/transfer/update/check-update.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { EVERYTHING, NO_WATCH } from '../../../support/export-site.ts';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
let site: TableSite;
beforeAll(async () => {
  repository = await createTestRepository();
  site = await createTableSite(repository);
}, 30_000);
afterAll(async () => {
  await site.remove();
  await repository.stop();
});

const FORM = { delimiter: ',' };
const idOf = (node: EntityJson): number => node.nid[0].value;
const make = async (fields: Record<string, unknown[]>) => idOf(await repository.node(fields as never));
const rowsOf = async (file: string) =>
  (await Array.fromAsync(readTable(file, FORM))).flat().map(({ cells }) => Object.fromEntries(cells));

/** Exports nodes into a file of this name. */
async function exported(name: string, nodes: readonly number[], isForUpdate = false) {
  const table = join(await emptyFolder(), name);
  const problems: ExportProblem[] = [];
  const watch = { ...NO_WATCH, onProblem: (problem: ExportProblem) => void problems.push(problem) };
  const selected = await selectNodes(site.context, { ...EVERYTHING, nodes });
  const request = { table, files: undefined, delimiter: ',', subdelimiter: '|', contentType: undefined, isForUpdate };
  const isForSpreadsheets = !name.endsWith('.csv');
  return {
    table,
    problems,
    summary: await exportTable(site.context, selected, { ...request, isForSpreadsheets }, watch),
  };
}

const TITLES = [
  '=1+1',
  '007',
  ' two  spaces and a tab\tat the \t end ',
  'line\nline\n\nline',
  '_x000D_ and _x005F_ <b>&amp;</b> "quoted"',
  'é 𝄞 ‏עברית\u00a0 x',
  "'quoted'",
];

describe.each(['xlsx', 'ods'])('an export as .%s', (format) => {
  it('has the same rows as CSV', async () => {
    const nodes: number[] = [];
    for (const title of TITLES)
      nodes.push(
        await make({ title: [{ value: title }], field_identifier: [{ value: '0042' }, { value: '1908-05' }] }),
      );
    const [sheet, csv] = [await exported(`nodes.${format}`, nodes), await exported('nodes.csv', nodes)];
    expect(sheet.problems).toEqual([]);
    expect(await readHeader(sheet.table, FORM)).toEqual(await readHeader(csv.table, FORM));
    const rows = await rowsOf(sheet.table);
    expect(rows.map(({ title }) => title)).toEqual(TITLES);
    expect(rows).toEqual(await rowsOf(csv.table));
  });

  it('changes nothing when it is loaded again, and is equal for equal nodes', async () => {
    const id = await make({ field_description: [{ value: '<p>a</p>\r\n<p>b</p>', format: 'basic_html' }] });
    const { table } = await exported(`changes.${format}`, [id], true);
    const again = await exported(`again.${format}`, [id], true);
    expect(Buffer.from(await Bun.file(table).bytes()).equals(await Bun.file(again.table).bytes())).toBe(true);
    const check = await checkUpdate(site.context, table, {
      ...USUAL_TABLE_OPTIONS,
      type: 'node',
      modes: new Map(),
      overwrites: false,
    });
    expect([check.rows, check.items, check.problems]).toEqual([1, 0, []]);
  });

  it('is not written with a text that no cell can hold', async () => {
    const id = await make({
      field_note: [{ attr0: 'ownership', value: 'a\u0001b' }],
      field_abstract: [{ value: `a\u0001b` }],
    });
    const { table, summary, problems } = await exported(`bad.${format}`, [id]);
    expect(summary.isWritten).toBe(false);
    expect(problems).toContainEqual({
      nodeId: id,
      message: expect.stringMatching(/^field_abstract has a control character/),
    });
    expect(await readdir(dirname(table))).not.toContain(`bad.${format}`);
  });
});

it('an export as .xlsx is not written with a text above the limit of Excel', async () => {
  const id = await make({ field_abstract: [{ value: 'a'.repeat(32_768) }] });
  const { problems } = await exported('long.xlsx', [id]);
  expect(problems[0]?.message).toBe(
    'field_abstract has 32768 characters; a cell of .xlsx has at most 32767. Export it as CSV.',
  );
  expect((await exported('long.ods', [id])).problems).toEqual([]);
});
