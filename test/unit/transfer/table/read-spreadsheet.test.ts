import { beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readHeader, readTable } from '../../../../src/transfer/table/read-table.ts';
import { TableError, type TableRow } from '../../../../src/transfer/table/row-plan.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { makeOds, makeXlsx, makeZip } from '../../../support/make-spreadsheet.ts';

let file: string;

beforeAll(async () => {
  file = join(await emptyFolder(), 'nodes.csv');
});

async function read(bytes: Uint8Array, sheet?: string): Promise<TableRow[]> {
  await writeFile(file, bytes);
  const form = { delimiter: ',', sheet };
  await readHeader(file, form);
  return (await Array.fromAsync(readTable(file, form))).flat();
}

async function problem(bytes: Uint8Array, sheet?: string): Promise<TableError['problem']> {
  const error = await read(bytes, sheet).catch((caught: unknown) => caught);
  if (error instanceof TableError) return error.problem;
  throw new Error(`the table was read: ${JSON.stringify(error)}`);
}

const cells = (rows: TableRow[]) => rows.map((row) => Object.fromEntries(row.cells));
const number = (value: number | string, style = 0) => ({ xml: `<c s="${style}"><v>${value}</v></c>` });
const xml = (text: string) => ({ xml: text });
const text = (value: string) =>
  `<table:table-cell office:value-type="string"><text:p>${value}</text:p></table:table-cell>`;
const row = (...values: string[]) => `<table:table-row>${values.join('')}</table:table-row>`;
const table = (name: string, ...rows: string[]) => `<table:table table:name="${name}">${rows.join('')}</table:table>`;

describe('a workbook (.xlsx)', () => {
  it('is read by column, with the rows of the sheet as lines', async () => {
    const rows = await read(
      await makeXlsx({
        sheets: [
          {
            name: 'Nodes',
            rows: [
              ['id', 'title', 'note'],
              [],
              ['1', 'Boats, small'],
              ['# a comment', 'x'],
              ['2', '=1+1', 'last'],
              [' '],
            ],
          },
        ],
      }),
    );
    expect(cells(rows)).toEqual([
      { id: '1', title: 'Boats, small' },
      { id: '2', title: '=1+1', note: 'last' },
    ]);
    expect(rows.map(({ number, line }) => [number, line])).toEqual([
      [1, 3],
      [3, 5],
    ]);
  });

  it('keeps texts exactly: leading zeros, spaces, line breaks, escapes, rich text without its phonetic reading', async () => {
    const rich = xml(
      '<c t="inlineStr"><is><r><t>Boat</t></r><r><t xml:space="preserve"> &amp; <![CDATA[<sea>]]></t></r><rPh><t>ふね</t></rPh></is></c>',
    );
    const title = '  007 é𝄞\n_x005F_x000A_ a_x000D_';
    const rows = await read(
      await makeXlsx({
        sheets: [
          {
            name: 'a',
            rows: [
              ['id', 'title'],
              ['007', title],
              ['1', rich],
            ],
          },
        ],
      }),
    );
    expect(cells(rows)).toEqual([
      { id: '007', title: '  007 é𝄞\n_x000A_ a\r' },
      { id: '1', title: 'Boat & <sea>' },
    ]);
  });

  it('writes numbers as they were entered, and dates as ISO dates', async () => {
    const formats = [0, 14, 'dd/mm/yyyy hh:mm', '@', '00000', '"year" 0', 'h:mm'];
    const values = [
      ...[number('0.30000000000000004'), number('1908'), number('12345678901234567890'), number('1.5E-3')],
      ...[number(43831, 1), number(43831.75, 2), number(1908, 3), number(42, 4), number(1908, 5), number('0.25', 6)],
      ...[xml('<c t="b"><v>1</v></c>'), xml('<c t="d"><v>2020-01-02</v></c>'), number(1, 1), number(61, 1)],
    ];
    const header = values.map((_, at) => `c${at}`);
    const sheets = [{ name: 'a', rows: [header, values] }];
    const [first] = await read(await makeXlsx({ formats, sheets }));
    expect([...(first?.cells.values() ?? [])]).toEqual([
      ...['0.3', '1908', '12345678901234567890', '0.0015'],
      ...['2020-01-01', '2020-01-01T18:00:00', '1908', '00042', '1908', '06:00:00'],
      ...['true', '2020-01-02', '1900-01-01', '1900-03-01'],
    ]);
    const of1904 = await read(
      await makeXlsx({
        formats,
        is1904: true,
        sheets: [{ name: 'a', rows: [['id'], [number(42369, 1)], [number(0, 1)]] }],
      }),
    );
    expect(cells(of1904)).toEqual([{ id: '2020-01-01' }, { id: '1904-01-01' }]);
  });

  it('is read from its first visible sheet, or from a named one', async () => {
    const sheets = [
      { name: 'Lists', state: 'veryHidden' as const, rows: [['a'], ['hidden']] },
      { name: 'Nodes', rows: [['a'], ['shown']] },
      { name: 'Übersicht & more', rows: [['a'], ['named']] },
    ];
    const bytes = await makeXlsx({ sheets });
    expect(cells(await read(bytes))).toEqual([{ a: 'shown' }]);
    expect(cells(await read(bytes, 'Übersicht & more'))).toEqual([{ a: 'named' }]);
    expect(cells(await read(bytes, 'Lists'))).toEqual([{ a: 'hidden' }]);
    expect((await problem(bytes, 'nodes')).message).toContain('no sheet "nodes". Its sheets: "Lists", "Nodes"');
    expect((await problem(await makeXlsx({ sheets: sheets.slice(0, 1) }))).message).toContain('no visible sheet');
  });

  it('reports a cell without a text of its own with its place', async () => {
    const faulty = (xmlOfCell: string) => ['1', xml(xmlOfCell)];
    const sheets = [
      {
        name: 'a',
        rows: [
          ['id', 'title'],
          faulty('<c t="str"><f>A1&amp;"x"</f><v>idx</v></c>'),
          faulty('<c t="e"><v>#REF!</v></c>'),
          faulty('<c s="1"><v>60</v></c>'),
          ['2', 'b', '', 'beyond'],
          ['3', 'good'],
        ],
      },
    ];
    const rows = await read(await makeXlsx({ formats: [0, 14], sheets }));
    expect(rows.map(({ line, fault }) => [line, fault?.column, fault?.message.slice(0, 24)])).toEqual([
      [2, 'title', 'The cell has a formula. '],
      [3, 'title', 'The cell has the error #'],
      [4, 'title', 'The number 60 is formatt'],
      [5, undefined, 'Column D has a value, bu'],
      [6, undefined, undefined],
    ]);
    const header = await makeXlsx({ sheets: [{ name: 'a', rows: [['id', xml('<c><f>1+1</f><v>2</v></c>')]] }] });
    expect(await problem(header)).toMatchObject({
      line: 1,
      message: expect.stringContaining('Column B: The cell has a formula'),
    });
  });

  it('refuses merged cells with their place', async () => {
    const rows = [
      ['id', 'title'],
      ['1', 'a'],
      ['2', 'b'],
    ];
    const bytes = await makeXlsx({ sheets: [{ name: 'a', rows, merged: ['B2:B3', 'A7:C7', 'A8:C8', 'A9:C9'] }] });
    expect(await problem(bytes)).toMatchObject({
      line: 2,
      message: expect.stringContaining('merged: B2:B3, A7:C7, A8:C8 and 1 more range'),
    });
  });

  it('is read with 200 columns, and with cells and rows without references', async () => {
    const header = Array.from({ length: 200 }, (_, at) => `c${at}`);
    const [wide] = await read(
      await makeXlsx({ sheets: [{ name: 'a', rows: [header, header.map((name) => `${name} value`)] }] }),
    );
    expect(wide?.cells.get('c199')).toBe('c199 value');
    const part =
      '<x:worksheet><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>id</x:t></x:is></x:c></x:row><x:row><x:c><x:v>5</x:v></x:c></x:row></x:sheetData></x:worksheet>';
    const plain = await makeXlsx({ sheets: [{ name: 'a', rows: [] }], parts: { 'xl/worksheets/sheet1.xml': part } });
    expect(cells(await read(plain))).toEqual([{ id: '5' }]);
  });
});

describe('an OpenDocument spreadsheet (.ods)', () => {
  it('is read by column: texts, numbers, dates, repeated cells and rows, without notes', async () => {
    const cell = (attributes: string, shown: string) =>
      `<table:table-cell ${attributes}><text:p>${shown}</text:p></table:table-cell>`;
    const bytes = await makeOds(
      table(
        'Nodes',
        row(...['id', 'title', 'date', 'number', 'yes', 'plate'].map(text)),
        '<table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>',
        row(
          text('007'),
          '<table:table-cell office:value-type="string"><office:annotation><text:p>a note</text:p></office:annotation><text:p>two<text:s text:c="2"/>words <text:span>in</text:span>\n  one<text:tab/>line</text:p><text:p>=1+1</text:p></table:table-cell>',
          cell('office:value-type="date" office:date-value="1908-05-01T00:00:00"', '1 May 08'),
          cell('office:value-type="float" office:value="1.50000000000000022"', '1,50 €'),
          cell('office:value-type="boolean" office:boolean-value="true"', 'WAHR'),
          cell('office:value-type="float" office:value="42"', '00042'),
        ),
        `<table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="2" office:value-type="string"><text:p>x</text:p></table:table-cell></table:table-row>`,
      ),
    );
    const rows = await read(bytes);
    expect(cells(rows)).toEqual([
      {
        id: '007',
        title: 'two  words in one\tline\n=1+1',
        date: '1908-05-01',
        number: '1.5',
        yes: 'true',
        plate: '00042',
      },
      { id: 'x', title: 'x' },
      { id: 'x', title: 'x' },
    ]);
    expect(rows.map(({ line }) => line)).toEqual([5, 6, 7]);
  });

  it('is read from its first visible sheet, or from a named one', async () => {
    const styles =
      '<style:style style:name="ta1" style:family="table"><style:table-properties table:display="false"/></style:style>';
    const hidden = table('Lists', row(text('a')), row(text('hidden'))).replace(
      '<table:table ',
      '<table:table table:style-name="ta1" ',
    );
    const bytes = await makeOds(hidden + table('Nodes', row(text('a')), row(text('shown'))), { styles });
    expect(cells(await read(bytes))).toEqual([{ a: 'shown' }]);
    expect(cells(await read(bytes, 'Lists'))).toEqual([{ a: 'hidden' }]);
    expect((await problem(bytes, 'nodes')).message).toContain('no sheet "nodes". Its sheets: "Lists", "Nodes"');
    expect((await problem(await makeOds(hidden, { styles }))).message).toContain('no visible sheet');
  });

  it('reports formulas and merged cells with their place', async () => {
    const rows = await read(
      await makeOds(
        table(
          'a',
          row(text('id'), text('title')),
          row(
            text('1'),
            '<table:table-cell table:formula="of:=1+1" office:value-type="float" office:value="2"><text:p>2</text:p></table:table-cell>',
          ),
          row(
            '<table:table-cell table:number-columns-spanned="2" office:value-type="string"><text:p>2</text:p></table:table-cell><table:covered-table-cell/>',
          ),
        ),
      ),
    );
    expect(rows.map(({ line, fault }) => [line, fault?.column, fault?.message.slice(0, 21)])).toEqual([
      [2, 'title', 'The cell has a formul'],
      [3, 'id', 'The cell is merged wi'],
    ]);
  });
});

describe('a spreadsheet that cannot be imported', () => {
  const sheets = [{ name: 'a', rows: [['id'], ['1']] }];
  const types = (type: string) => ({ '[Content_Types].xml': `<Types><Override ContentType="${type}"/></Types>` });
  const compound = () => {
    const bytes = Buffer.alloc(2_048);
    Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes);
    bytes.writeUInt16LE(9, 30);
    bytes.writeUInt32LE(1, 48);
    return bytes;
  };
  const locked = () => {
    const bytes = compound();
    bytes.write('EncryptedPackage', 1_024 + 128, 'utf16le');
    return bytes;
  };
  const bomb = () => Buffer.from(`<worksheet><sheetData>${' '.repeat(66 * 1024 * 1024)}</sheetData></worksheet>`);
  const cases: [string, () => Buffer | Promise<Buffer>, string][] = [
    ['with macros', () => makeXlsx({ sheets, parts: { 'xl/vbaProject.bin': 'x' } }), 'has macros'],
    [
      'with the type of macros',
      () => makeXlsx({ sheets, parts: types('application/vnd.ms-excel.sheet.macroEnabled.main+xml') }),
      'has macros',
    ],
    ['with macros, as OpenDocument', () => makeOds('', { parts: { 'Basic/Standard/a.xml': 'x' } }), 'has macros'],
    ['with a password', locked, 'has a password'],
    [
      'with a password, as OpenDocument',
      () => makeOds('', { parts: { 'META-INF/manifest.xml': '<manifest:encryption-data/>' } }),
      'has a password',
    ],
    [
      'with a password, as OpenDocument 1.4',
      () => makeZip({ mimetype: 'x', 'encrypted-package': 'x' }),
      'has a password',
    ],
    ['of an old kind', compound, 'an old spreadsheet (.xls)'],
    [
      'of a binary kind',
      () => makeXlsx({ sheets, parts: types('application/vnd.ms-excel.sheet.binary.macroEnabled.main') }),
      'is binary (.xlsb)',
    ],
    ['that is a bomb', () => makeXlsx({ sheets, parts: { 'xl/worksheets/sheet1.xml': bomb() } }), 'times its size'],
    [
      'that is another document',
      () =>
        makeXlsx({
          sheets,
          parts: types('application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'),
        }),
      'no spreadsheet',
    ],
    [
      'that is a text',
      () => makeOds('', { parts: { mimetype: 'application/vnd.oasis.opendocument.text' } }),
      'no spreadsheet',
    ],
    ['that is another archive', () => makeZip({ 'a.txt': 'a' }), 'a zip file, but no spreadsheet'],
    ['that is cut off', async () => (await makeXlsx({ sheets })).subarray(0, 900), 'cannot be read'],
    [
      'that lacks a part',
      () => makeXlsx({ sheets, parts: { 'xl/_rels/workbook.xml.rels': '<x/>' } }),
      'no visible sheet',
    ],
    [
      'with deep elements',
      () => makeXlsx({ sheets, parts: { 'xl/worksheets/sheet1.xml': '<a>'.repeat(1_000) } }),
      'too deeply',
    ],
    [
      'with a cell far to the right',
      () =>
        makeXlsx({
          sheets,
          parts: { 'xl/worksheets/sheet1.xml': '<worksheet><row r="1"><c r="XFE1"><v>1</v></c></row></worksheet>' },
        }),
      'more than 16384 columns',
    ],
    [
      'with a row far below',
      () =>
        makeXlsx({
          sheets,
          parts: {
            'xl/worksheets/sheet1.xml': '<worksheet><row r="1048577"><c r="A1048577"><v>1</v></c></row></worksheet>',
          },
        }),
      'more than 1048576 rows',
    ],
    [
      'with a row that is repeated too often',
      () =>
        makeOds(
          table(
            'a',
            row(text('id')),
            row(text('1')).replace('<table:table-row', '<table:table-row table:number-rows-repeated="900000000"'),
          ),
        ),
      'more than 1048576 rows',
    ],
  ];
  it.each(cases)('is refused: %s', async (_what, make, said) => {
    expect((await problem(await make())).message).toContain(said);
  });

  it('is no table with a named sheet if it has no sheets', async () => {
    expect((await problem(Buffer.from('id\n1\n'), 'Nodes')).message).toContain('Only a spreadsheet');
  });
});
