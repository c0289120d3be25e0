import { Readable } from 'node:stream';
import { xmlAttribute, xmlText } from '../../base/xml.ts';
import { MAX_ROWS } from './sheet-row.ts';

/** The formats of spreadsheets. */
export type SheetFormat = 'xlsx' | 'ods';

/** The maximum length of a cell of a workbook, in UTF-16 units (specification of Excel). */
const MAX_XLSX_CHARS = 32_767;
const LINE_END = /\r\n?/g;
/** Control characters that XML excludes, and unpaired surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters.
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
/** Texts that look like an escaped character of a workbook (ECMA-376, part 1, 22.4.2.4). */
const LIKE_AN_ESCAPE = /_(?=x[0-9A-Fa-f]{4}_)/g;
const COLUMN_CHARS = 24;
/** The time of all parts, so that equal tables have equal bytes. */
const TIME = new Date(1980, 0, 1);
const MIMETYPE = 'application/vnd.oasis.opendocument.spreadsheet';

/** The maximum number of rows of a sheet, with its header. */
export const MAX_SHEET_ROWS = MAX_ROWS;

/** Returns the format of a spreadsheet by its name; undefined for another file. */
export function sheetFormat(name: string): SheetFormat | undefined {
  const [, extension] = /\.(xlsx|ods)$/i.exec(name) ?? [];
  return extension?.toLowerCase() as SheetFormat | undefined;
}

/** Returns the reason why a text cannot be in a cell; undefined if it can. */
export function whyNotInCell(text: string, format: SheetFormat): string | undefined {
  if (NOT_IN_XML.test(text) || !text.isWellFormed()) return 'has a control character, which spreadsheets cannot hold';
  if (format === 'xlsx' && text.length > MAX_XLSX_CHARS)
    return `has ${text.length} characters; a cell of .xlsx has at most ${MAX_XLSX_CHARS}`;
  return undefined;
}

/**
 * Writes rows of text as a sheet, in the memory of a few rows. All cells are formatted as text, and none is a formula. Line
 * ends become line feeds, as in spreadsheets. Texts must be possible in cells (`whyNotInCell`).
 */
export function writeSpreadsheet(
  format: SheetFormat,
  name: string,
  rows: AsyncIterable<readonly (readonly string[])[]>,
): AsyncIterable<Uint8Array> {
  return format === 'xlsx' ? writeXlsx(name, rows) : writeOds(name, rows);
}

async function* writeXlsx(
  name: string,
  batches: AsyncIterable<readonly (readonly string[])[]>,
): AsyncGenerator<Uint8Array> {
  const { writeXlsxStream } = await import('hucre/xlsx');
  const iterator = batches[Symbol.asyncIterator]();
  const first = await iterator.next();
  const width = first.done ? 0 : (first.value[0]?.length ?? 0);
  async function* rows(): AsyncGenerator<(string | null)[]> {
    for (let batch = first; !batch.done; batch = await iterator.next())
      for (const cells of batch.value) yield cells.map((cell) => (cell === '' ? null : forXlsx(cell)));
  }
  const columns = Array.from({ length: width }, () => ({ numFmt: '@', width: COLUMN_CHARS }));
  const stream = writeXlsxStream(rows(), { name, columns, freezePane: { rows: 1 } });
  try {
    for await (const chunk of stream) yield chunk;
  } finally {
    await iterator.return?.();
  }
}

/** Returns a text as a cell of a workbook. */
export function forXlsx(text: string): string {
  const lines = text.replace(LINE_END, '\n');
  return lines.includes('_x') ? lines.replace(LIKE_AN_ESCAPE, '_x005F_') : lines;
}

async function* writeOds(
  name: string,
  rows: AsyncIterable<readonly (readonly string[])[]>,
): AsyncGenerator<Uint8Array> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on('error', (error) => output.destroy(error instanceof Error ? error : new Error(String(error))));
  // The type comes first, and is not compressed (OpenDocument 1.3, part 2, 3.3).
  zip.addBuffer(Buffer.from(MIMETYPE), 'mimetype', { mtime: TIME, compress: false });
  zip.addBuffer(Buffer.from(MANIFEST), 'META-INF/manifest.xml', { mtime: TIME });
  const content = Readable.from(odsContent(name, rows));
  zip.addReadStream(content, 'content.xml', { mtime: TIME });
  zip.end();
  try {
    for await (const chunk of output) yield chunk as Uint8Array;
  } finally {
    content.destroy();
  }
}

const MANIFEST = `<?xml version="1.0" encoding="UTF-8"?>
<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2"><manifest:file-entry manifest:full-path="/" manifest:version="1.2" manifest:media-type="${MIMETYPE}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`;

const NAMES = ['office', 'table', 'text', 'style']
  .map((each) => `xmlns:${each}="urn:oasis:names:tc:opendocument:xmlns:${each}:1.0"`)
  .concat('xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"')
  .join(' ');
const STYLES =
  '<office:automatic-styles><number:text-style style:name="N1"><number:text-content/></number:text-style><style:style style:name="text" style:family="table-cell" style:data-style-name="N1"/></office:automatic-styles>';

async function* odsContent(
  name: string,
  batches: AsyncIterable<readonly (readonly string[])[]>,
): AsyncGenerator<Buffer> {
  const table = `<table:table table:name="${xmlAttribute(name)}">`;
  yield Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<office:document-content ${NAMES} office:version="1.2">${STYLES}<office:body><office:spreadsheet>${table}`,
  );
  let isFirst = true;
  for await (const rows of batches) {
    const columns = `<table:table-column table:number-columns-repeated="${rows[0]?.length || 1}" table:default-cell-style-name="text"/>`;
    const written = rows.map((cells) => `<table:table-row>${cells.map(odsCell).join('')}</table:table-row>`).join('');
    yield Buffer.from(isFirst ? columns + written : written);
    isFirst = false;
  }
  yield Buffer.from('</table:table></office:spreadsheet></office:body></office:document-content>');
}

function odsCell(text: string): string {
  if (text === '') return '<table:table-cell/>';
  const paragraphs = text
    .replace(LINE_END, '\n')
    .split('\n')
    .map((each) => `<text:p>${spaced(xmlText(each))}</text:p>`);
  return `<table:table-cell office:value-type="string">${paragraphs.join('')}</table:table-cell>`;
}

/** Returns text with elements for the white space that a document collapses (OpenDocument 1.3, part 3, 6.1.2). */
function spaced(text: string): string {
  return text.replace(/^ +| {2,}| +$/g, (run) => `<text:s text:c="${run.length}"/>`).replaceAll('\t', '<text:tab/>');
}
