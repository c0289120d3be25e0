import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readTable } from '../../../src/transfer/table/read-table.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { makeXlsx } from '../../support/make-spreadsheet.ts';
import { IS_FULL_SIZE } from '../../support/size.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const PROGRAM = resolve(import.meta.dir, '../../../dist/repo');
const ROWS = IS_FULL_SIZE ? 100_000 : 20_000;
const MAX_MIB = 400;

let repository: TestRepository;
let folder: string;
beforeAll(async () => {
  repository = await createTestRepository();
  folder = await emptyFolder();
}, 60_000);
afterAll(() => repository.stop());

/** The kernel counts the memory of its parent for a process until it executes its program: a small parent starts it. */
const MEASURING = resolve(import.meta.dir, '../../support/measuring-child.ts');

async function run(...words: string[]) {
  const measured = join(folder, 'peak-memory');
  const command = [
    process.execPath,
    MEASURING,
    measured,
    PROGRAM,
    ...words,
    '--data',
    repository.dataFolder,
    '--quiet',
  ];
  const running = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', cwd: folder });
  const [out, err, code] = await Promise.all([
    new Response(running.stdout).text(),
    new Response(running.stderr).text(),
    running.exited,
  ]);
  return { code, out, err, mib: Number(await readFile(measured, 'utf8')) / 1024 ** 2 };
}

const write = async (name: string, rows: readonly (readonly string[])[], sheet = 'Nodes') =>
  writeFile(
    join(folder, name),
    await makeXlsx({
      sheets: [
        { name: 'Notes', rows: [['a note']] },
        { name: sheet, rows },
      ],
    }),
  );

describe('the commands for tables with a spreadsheet', () => {
  const header = ['id', 'title', 'field_model', 'field_identifier', 'field_abstract'];

  it('name the rows of the chosen sheet, import it, and export it again', async () => {
    await write('nodes.xlsx', [header, ['1', 'A map', 'Image', '0042'], ['2', 'A plan', 'Imaje']]);
    expect(await run('import', 'nodes.xlsx', '--sheet', 'Nodes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('nodes.xlsx, row 3, field_model: '),
    });
    await write('nodes.xlsx', [header, ['1', 'A map', 'Image', '0042'], ['2', '=1+1', 'Image']]);
    const loaded = await run('import', 'nodes.xlsx', '--sheet', 'Nodes', '--output', 'result.ods');
    expect(loaded).toMatchObject({ code: 0, out: expect.stringContaining('Imported 2 nodes') });
    const read = async (name: string) =>
      (await Array.fromAsync(readTable(join(folder, name), { delimiter: ',' }))).flat().map(({ cells }) => cells);
    expect((await read('result.ods')).map((cells) => cells.get('status'))).toEqual(['loaded', 'loaded']);
    expect(await run('export', 'again.xlsx')).toMatchObject({ code: 0, out: 'Exported 2 nodes.\n' });
    expect((await read('again.xlsx')).map((cells) => [cells.get('title'), cells.get('field_identifier')])).toEqual([
      ['A map', '0042'],
      ['=1+1', undefined],
    ]);
    expect(await run('export', '--template', 'empty.xlsx')).toMatchObject({
      code: 0,
      out: expect.stringContaining('empty.xlsx is an empty table'),
    });
    expect(await run('export', '--template', 'empty.xlsx')).toMatchObject({
      code: 1,
      err: expect.stringContaining('exists'),
    });
  }, 60_000);

  it(`check ${ROWS} rows in at most ${MAX_MIB} MiB`, async () => {
    const rows = Array.from({ length: ROWS }, (_, at) => [
      `${at}`,
      `Item number ${at} of a long list`,
      'Image',
      `00${at}`,
      `A description of the item ${at}`,
    ]);
    await write('large.xlsx', [header, ...rows]);
    const { code, out, mib } = await run('import', 'large.xlsx', '--sheet', 'Nodes', '--check');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(`${ROWS.toLocaleString('en')} rows`) });
    expect(mib).toBeLessThan(MAX_MIB);
  }, 120_000);
});
