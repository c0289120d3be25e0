import { ZipFile } from 'yazl';
import { xmlAttribute, xmlText } from '../../src/base/xml.ts';
import { columnLetters } from '../../src/transfer/spreadsheet/sheet-row.ts';

/** The parts of a ZIP file by path. */
type ZipParts = Readonly<Record<string, string | Buffer>>;

/** Returns a ZIP file. */
export async function makeZip(parts: ZipParts): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), path);
  zip.end();
  return Buffer.concat(await Array.fromAsync(zip.outputStream as AsyncIterable<Uint8Array>));
}

/** A cell: a shared text, or the XML of a cell without its reference, such as `<c t="b"><v>1</v></c>`. */
type XlsxCell = string | { readonly xml: string };

interface XlsxSheet {
  readonly name: string;
  readonly state?: 'hidden' | 'veryHidden';
  readonly rows: readonly (readonly XlsxCell[])[];
  readonly merged?: readonly string[];
}

interface XlsxBook {
  readonly sheets: readonly XlsxSheet[];
  readonly is1904?: boolean;
  /** The number formats of cells: style 0 is the first. A number is the id of a usual format. */
  readonly formats?: readonly (string | number)[];
  /** Further parts, and other contents of parts. */
  readonly parts?: ZipParts;
}

const NAMESPACES =
  'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const FIRST_FORMAT = 164;

/** Returns a workbook as Excel writes it: with shared texts, formats and relations. */
export function makeXlsx({ sheets, is1904 = false, formats = [0], parts = {} }: XlsxBook): Promise<Buffer> {
  const texts: string[] = [];
  const cellOf = (cell: XlsxCell, at: number, line: number) => {
    if (cell === '') return '';
    const reference = `${columnLetters(at)}${line}`;
    if (typeof cell !== 'string') return cell.xml.replace('<c', `<c r="${reference}"`);
    texts.push(cell);
    return `<c r="${reference}" t="s"><v>${texts.length - 1}</v></c>`;
  };
  const sheetParts = sheets.map(({ rows, merged = [] }, index) => {
    const xml = rows.map(
      (cells, row) => `<row r="${row + 1}">${cells.map((cell, at) => cellOf(cell, at, row + 1)).join('')}</row>`,
    );
    const ranges = merged.map((ref) => `<mergeCell ref="${ref}"/>`).join('');
    return [
      `xl/worksheets/sheet${index + 1}.xml`,
      `<worksheet ${NAMESPACES}><sheetData>${xml.join('\n')}</sheetData>${merged.length > 0 ? `<mergeCells>${ranges}</mergeCells>` : ''}</worksheet>`,
    ];
  });
  const entries = sheets.map(
    ({ name, state }, index) =>
      `<sheet name="${xmlAttribute(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"${state ? ` state="${state}"` : ''}/>`,
  );
  const relations = [
    ...sheets.map(
      (_, index) =>
        `<Relationship Id="rId${index + 1}" Type="${TYPES}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
    ),
    `<Relationship Id="s" Type="${TYPES}/styles" Target="styles.xml"/>`,
    `<Relationship Id="t" Type="${TYPES}/sharedStrings" Target="/xl/sharedStrings.xml"/>`,
  ];
  const idOf = (format: string | number, at: number) => (typeof format === 'number' ? format : FIRST_FORMAT + at);
  const named = formats.flatMap((format, at) =>
    typeof format === 'string' ? `<numFmt numFmtId="${idOf(format, at)}" formatCode="${xmlAttribute(format)}"/>` : [],
  );
  return makeZip({
    '[Content_Types].xml':
      '<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
    '_rels/.rels': `<Relationships><Relationship Id="x" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/><Relationship Id="r" Type="${TYPES}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook ${NAMESPACES}><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets>${entries.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relations.join('')}</Relationships>`,
    'xl/styles.xml': `<styleSheet ${NAMESPACES}><numFmts>${named.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${formats.map((format, at) => `<xf numFmtId="${idOf(format, at)}"/>`).join('')}</cellXfs></styleSheet>`,
    ...Object.fromEntries(sheetParts),
    'xl/sharedStrings.xml': `<sst ${NAMESPACES}>${texts.map((text) => `<si><t xml:space="preserve">${xmlText(text)}</t></si>`).join('')}</sst>`,
    ...parts,
  });
}

/** Returns an OpenDocument spreadsheet with the XML of its tables and of its styles. */
export function makeOds(
  tables: string,
  { styles = '', parts = {} }: { styles?: string; parts?: ZipParts } = {},
): Promise<Buffer> {
  return makeZip({
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'META-INF/manifest.xml': '<manifest:manifest/>',
    'content.xml': `<?xml version="1.0"?><office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`,
    ...parts,
  });
}
