import { beforeAll, describe, expect, it } from 'bun:test';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readHeader, readTable } from '../../../../src/transfer/table/read-table.ts';
import type { TableRow } from '../../../../src/transfer/table/row-plan.ts';
import { TableError } from '../../../../src/transfer/table/row-plan.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await emptyFolder();
  file = join(folder, 'nodes.csv');
});

async function read(text: string | Uint8Array, delimiter = ','): Promise<TableRow[]> {
  await writeFile(file, text);
  const rows: TableRow[] = [];
  for await (const batch of readTable(file, { delimiter })) rows.push(...batch);
  return rows;
}

async function readError(text: string | Uint8Array, delimiter = ','): Promise<TableError['problem']> {
  try {
    await read(text, delimiter);
    await readHeader(file, { delimiter });
  } catch (error) {
    if (error instanceof TableError) return error.problem;
    throw error;
  }
  throw new Error('the table was read');
}

const cells = (rows: TableRow[]) => rows.map((row) => Object.fromEntries(row.cells));

describe('readTable', () => {
  it('reads rows by column name, without empty cells', async () => {
    const rows = await read('id,title\n1,One\n2,\n');
    expect(cells(rows)).toEqual([{ id: '1', title: 'One' }, { id: '2' }]);
    expect(rows.map(({ number, line }) => [number, line])).toEqual([
      [1, 2],
      [2, 3],
    ]);
  });

  it('reads spreadsheet output: byte order mark, CRLF, line breaks in quotes', async () => {
    const rows = await read('\ufeffid,title\r\n1,"two\r\nlines, and a ""word"""\r\n\r\n2,Next\r\n');
    expect(cells(rows)).toEqual([
      { id: '1', title: 'two\r\nlines, and a "word"' },
      { id: '2', title: 'Next' },
    ]);
    expect(rows.map(({ line }) => line)).toEqual([2, 5]);
  });

  it('reads a cell of a megabyte, and characters split across chunks', async () => {
    const long = 'é€𝄞'.repeat(120_000);
    const rows = await read(`id,title\n1,"${long}"\n2,x${long}\n`);
    expect(cells(rows)).toEqual([
      { id: '1', title: long },
      { id: '2', title: `x${long}` },
    ]);
  });

  it('accepts another delimiter', async () => {
    expect(cells(await read('id;title\n1;"a;b"\n', ';'))).toEqual([{ id: '1', title: 'a;b' }]);
  });

  it('skips empty lines, lines of delimiters, and rows that begin with #', async () => {
    const rows = await read('id,title\n\n1,a\n,\n#2,b\n3,c\n');
    expect(rows.map(({ number, line }) => [number, line])).toEqual([
      [1, 3],
      [3, 6],
    ]);
  });

  it('returns many rows in batches', async () => {
    await writeFile(file, `id,title\n${Array.from({ length: 5_000 }, (_, at) => `${at},t`).join('\n')}`);
    const sizes: number[] = [];
    for await (const batch of readTable(file, { delimiter: ',' })) sizes.push(batch.length);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(5_000);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
  });

  it('reports every byte as progress, and stops when aborted', async () => {
    const text = `\ufeffid,title\n${'1,abc\n'.repeat(200_000)}`;
    await writeFile(file, text);
    const abort = new AbortController();
    let bytes = 0;
    const reading = { signal: abort.signal, onBytes: (chunk: Uint8Array) => (bytes += chunk.length) };
    for await (const _ of readTable(file, { delimiter: ',' }, reading));
    expect(bytes).toBe(Buffer.byteLength(text));
    const reason = new Error('enough');
    const aborted = async () => {
      for await (const _ of readTable(file, { delimiter: ',' }, reading)) abort.abort(reason);
    };
    await expect(aborted()).rejects.toBe(reason);
  });

  it('marks rows with too many or too few cells, and continues', async () => {
    const rows = await read('id,title\n1\n2,b,c\n3,d\n');
    expect(rows.map(({ fault }) => fault?.message)).toEqual([
      'The number of cells (1) differs from the number of columns (2).',
      'The number of cells (3) differs from the number of columns (2).',
      undefined,
    ]);
  });

  it('ignores trailing empty cells, and trailing columns without a name', async () => {
    const rows = await read('id,title,,\n1,a,,\n2,b\n3,c, ,,,\n4,d,,e\n');
    expect(cells(rows)).toEqual([{ id: '1', title: 'a' }, { id: '2', title: 'b' }, { id: '3', title: 'c' }, {}]);
    expect(rows[3]?.fault?.message).toBe('The number of cells (4) differs from the number of columns (2).');
    expect(await readHeader(file, { delimiter: ',' })).toEqual(['id', 'title']);
  });

  it('reports a row that a spreadsheet put entirely in quotes', async () => {
    const rows = await read('id,title\n"1,""Doe, Jane"""\n');
    expect(rows[0]?.fault?.message).toStartWith('The whole line is one quoted cell.');
    expect((await readError('"id,title"\n')).message).toStartWith('The whole line is one quoted cell.');
  });

  it('marks a repeated header, and a cell of more than 16 MiB', async () => {
    const rows = await read(`id,title\n1,a\nid,title\n2,${'x'.repeat(16 * 1024 * 1024 + 1)}\n`);
    expect(rows.map(({ fault }) => fault)).toEqual([
      undefined,
      { column: undefined, message: 'The row repeats the header.' },
      { column: 'title', message: 'The cell has more than 16 MiB.' },
    ]);
  });
});

describe('an invalid table file', () => {
  const cases: [string, string | Uint8Array, Partial<TableError['problem']>][] = [
    ['a quote that is never closed', 'id,title\n1,a\n2,"b\n3,c\n', { row: 2, line: 3 }],
    ['a quote in the middle of a cell', 'id,title\n1,a"b\n', { row: 1, line: 2 }],
    ['text after a closing quote', 'id,title\n1,"a"b\n', { row: 1, line: 2 }],
    ['Latin-1', Buffer.from('id,title\n1,a\n2,caf\xe9\n', 'latin1'), { line: 3 }],
    ['a character that ends with the file', Buffer.from([...Buffer.from('id\n1'), 0xc3]), { line: 2 }],
    ['UTF-16', Buffer.from('\ufeffid,title\n1,a\n', 'utf16le'), {}],
    ['a NUL', 'id,title\n1,a\n2,b\0\n', { line: 3 }],
    ['an empty file', '', {}],
    ['two columns of one name', 'id,title,id\n', { line: 1, column: 'id' }],
    ['a column without a name', 'id,,title\n', { line: 1 }],
  ];
  for (const [what, text, place] of cases)
    it(`is refused with its place: ${what}`, async () => {
      const { message, ...where } = await readError(text);
      expect(message).not.toBe('');
      expect(where).toEqual({ row: undefined, line: undefined, column: undefined, ...place });
    });

  it.each([
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'an old spreadsheet (.xls)'],
    ['a compressed table', Bun.gzipSync('id,title\n1,a\n'), 'compressed (gzip)'],
    ['UTF-16 without a mark', Buffer.from('id,title\n1,a\n', 'utf16le'), 'UTF-16'],
    ['UTF-16 without a mark, the other way round', Buffer.from('id,title\n', 'utf16le').swap16(), 'UTF-16'],
  ])('is rejected with the detected format: %s', async (_what, text, said) => {
    expect((await readError(text)).message).toContain(said);
  });

  it('is reported with the likely delimiter', async () => {
    expect((await readError('id;title\n1;a\n')).message).toContain('Did you mean --delimiter ";"?');
    expect((await readError('id\ttitle\n1\ta\n')).message).toContain('Did you mean --delimiter "\\t"?');
    expect((await readError('sep=;\nid;title\n')).message).toContain('Delete it, and add --delimiter ";"');
  });

  it('is reported for a duplicate column, even among 400,000', async () => {
    const names = Array.from({ length: 400_000 }, (_, at) => `c${at}`);
    expect(await readError(`${names.join(',')},c7\n`)).toMatchObject({ line: 1, column: 'c7' });
  }, 10_000);

  it('is reported if it is missing or a folder', async () => {
    await rm(file, { force: true });
    await expect(readHeader(file, { delimiter: ',' })).rejects.toThrow('no such file');
    await expect(readHeader(folder, { delimiter: ',' })).rejects.toThrow('it is a folder');
  });
});
