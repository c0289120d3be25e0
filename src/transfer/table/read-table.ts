import { type CsvError, type InfoRecord, type Parser, parse } from 'csv-parse';
import { codeOf } from '../../base/errors.ts';
import { openSpreadsheet, type SpreadsheetFile } from '../spreadsheet/open-spreadsheet.ts';
import { readSpreadsheet } from '../spreadsheet/read-spreadsheet.ts';
import { columnLetters, type SheetRow, SpreadsheetError } from '../spreadsheet/sheet-row.ts';
import { COMMAND_WORDS } from './option-words.ts';
import type { TableRow } from './row-plan.ts';
import { TableError, tableProblem } from './row-plan.ts';
import { type Reading, tableBytes } from './table-bytes.ts';
import type { TableForm } from './table-options.ts';

const BATCH_ROWS = 250;
/** Number of buffered characters that completes a batch. */
const BATCH_CHARS = 4_000_000;
const MIB = 1024 * 1024;
const MAX_CELL_CHARS = 16 * MIB;
const MAX_ROW_CHARS = 32 * MIB;
/** The prefix of the first cell of a row that is skipped (Islandora Workbench, "Commenting out CSV rows"). */
const COMMENT = '#';
const LINE_END = /\r\n|\n|\r/g;

/** A row before its cells are assigned to columns. */
type RawRow = SheetRow;

/** The rows of a table, and the character between their cells, which spreadsheets do not have. */
interface RawTable {
  readonly delimiter: string | undefined;
  readonly rows: AsyncIterable<readonly RawRow[]>;
}

/** Returns the names of a table's columns. Throws TableError if the header is missing, or has empty or duplicate names. */
export async function readHeader(file: string, form: TableForm): Promise<string[]> {
  const { delimiter, rows } = await openRaw(file, form, {});
  for await (const [first] of rows) if (first) return headerOf(first, delimiter, form);
  throw new TableError(tableProblem('The table is empty. Its first row must hold the names of columns.'));
}

/**
 * Reads the rows of a table after its header, in batches of bounded size. A row with too many or too few cells, or with a
 * cell that has no text such as a formula, has a `fault`. Throws TableError, with the line, for invalid CSV and for an
 * unreadable spreadsheet, and the signal's reason when it is aborted.
 */
export async function* readTable(file: string, form: TableForm, reading: Reading = {}): AsyncGenerator<TableRow[]> {
  let header: readonly string[] | undefined;
  let number = 0;
  const { delimiter, rows } = await openRaw(file, form, reading);
  for await (const raws of rows) {
    const batch: TableRow[] = [];
    for (const raw of raws) {
      if (header === undefined) header = headerOf(raw, delimiter, form);
      else if (!raw.cells[0]?.startsWith(COMMENT)) batch.push(toRow(++number, raw, header, delimiter));
      else number += 1;
    }
    for (let start = 0; start < batch.length; start += BATCH_ROWS) yield batch.slice(start, start + BATCH_ROWS);
  }
}

function headerOf(
  { cells, line, fault }: RawRow,
  delimiter: string | undefined,
  { words = COMMAND_WORDS }: TableForm,
): string[] {
  const refuse = (message: string, column?: string): never => {
    throw new TableError({ row: undefined, line, column, message });
  };
  const names = withoutEmptyEnd(cells, 1).map((cell) => cell.trim());
  if (fault) refuse(`Column ${columnLetters(fault.at)}: ${fault.message}`);
  if (delimiter !== undefined) {
    const excel = /^sep=(.)$/.exec(cells.join(delimiter));
    if (excel)
      refuse(
        `Only Excel understands the line "sep=${excel[1]}". Delete it, and add ${words.delimiter(excel[1] ?? '')}.`,
      );
    const other = [';', '\t', ','].find((each) => each !== delimiter && names.length === 1 && names[0]?.includes(each));
    if (other) refuse(`The table has only one column. Did you mean ${words.delimiter(other)}?`);
    if (isOneCell(names, delimiter)) refuse(ONE_CELL);
  }
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (name === '') refuse(`Column ${index + 1} has no name. Name it, or delete it.`);
    if (seen.has(name)) refuse('Two columns have this name.', name);
    seen.add(name);
  }
  return names;
}

const ONE_CELL =
  'The whole line is one quoted cell. Open the table with the right delimiter in the spreadsheet, and save it again.';

function isOneCell(cells: readonly string[], delimiter: string): boolean {
  return cells.length === 1 && (cells[0]?.includes(delimiter) ?? false);
}

/** Returns cells without empty ones at the end: spreadsheets write former columns, and programs a final delimiter. */
function withoutEmptyEnd(cells: readonly string[], least: number): readonly string[] {
  let length = cells.length;
  while (length > least && cells[length - 1]?.trim() === '') length -= 1;
  return cells.slice(0, length);
}

function toRow(
  number: number,
  { line, cells: all, fault }: RawRow,
  header: readonly string[],
  delimiter: string | undefined,
): TableRow {
  const place = { number, line, ...(delimiter === undefined && { shownNumber: line }) };
  const faulty = (message: string, column?: string): TableRow => ({
    ...place,
    cells: new Map(),
    fault: { column, message },
  });
  const cells = withoutEmptyEnd(all, header.length);
  if (delimiter === undefined) {
    const at = fault?.at ?? cells.length - 1;
    if (at >= header.length) return faulty(`Column ${columnLetters(at)} has a value, but no name in the header.`);
    if (fault) return faulty(fault.message, header[fault.at]);
  } else {
    if (header.length > 1 && isOneCell(cells, delimiter)) return faulty(ONE_CELL);
    if (cells.length !== header.length)
      return faulty(`The number of cells (${cells.length}) differs from the number of columns (${header.length}).`);
  }
  if (cells.length === header.length && cells.every((cell, index) => cell.trim() === header[index]))
    return faulty('The row repeats the header.');
  const filled = new Map<string, string>();
  for (const [index, cell] of cells.entries()) {
    if (cell.length > MAX_CELL_CHARS) return faulty('The cell has more than 16 MiB.', header[index]);
    if (cell.trim() !== '') filled.set(header[index] as string, cell);
  }
  return { ...place, cells: filled };
}

async function openRaw(file: string, { delimiter, sheet }: TableForm, reading: Reading): Promise<RawTable> {
  const spreadsheet = await openedSpreadsheet(file);
  if (spreadsheet !== undefined)
    return { delimiter: undefined, rows: readSheet(file, spreadsheet, { ...reading, sheet }) };
  if (sheet !== undefined) throw new TableError(tableProblem('Only a spreadsheet (.xlsx, .ods) has sheets.'));
  return { delimiter, rows: readCsv(file, delimiter, reading) };
}

/** Opens a spreadsheet; undefined for a file that is none. */
async function openedSpreadsheet(file: string): Promise<SpreadsheetFile | undefined> {
  try {
    return await openSpreadsheet(file);
  } catch (error) {
    // The reader of CSV explains why a file cannot be opened.
    if (codeOf(error) !== undefined) return undefined;
    throw ofSheet(error);
  }
}

async function* readSheet(
  file: string,
  spreadsheet: SpreadsheetFile,
  reading: Reading & { readonly sheet: string | undefined },
): AsyncGenerator<readonly RawRow[]> {
  try {
    // A row of spaces is no row.
    for await (const rows of readSpreadsheet(file, spreadsheet, reading))
      yield rows.filter(({ cells, fault }) => fault !== undefined || cells.some((cell) => cell.trim() !== ''));
  } catch (error) {
    throw ofSheet(error);
  }
}

/** Returns an error of a spreadsheet as TableError; other errors unchanged. */
function ofSheet(error: unknown): unknown {
  if (!(error instanceof SpreadsheetError)) return error;
  return new TableError({ ...tableProblem(error.message), line: error.line });
}

async function* readCsv(file: string, delimiter: string, reading: Reading): AsyncGenerator<RawRow[]> {
  const waiting: RawRow[] = [];
  let [chars, lines, emptyLines, rows] = [0, 0, 0, 0];
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_CHARS,
    // Returning null keeps the stream from queueing the row, too.
    on_record: (cells: string[], { empty_lines }: InfoRecord) => {
      const line = lines + 1 + empty_lines - emptyLines;
      [lines, emptyLines] = [line, empty_lines];
      for (const cell of cells) {
        chars += cell.length;
        if (cell.includes('\n') || cell.includes('\r')) lines += cell.match(LINE_END)?.length ?? 0;
      }
      // A line of spaces and delimiters is no row.
      if (cells.every((cell) => cell.trim() === '')) return null;
      waiting.push({ line, cells });
      rows += 1;
      return null;
    },
  });
  // `written` rejects with the same error. An error event without a listener would end the process.
  parser.on('error', () => parser.destroy());
  const take = () => {
    chars = 0;
    return waiting.splice(0, BATCH_ROWS);
  };
  try {
    for await (const bytes of tableBytes(file, reading)) {
      await written(parser, bytes);
      while (waiting.length >= BATCH_ROWS || chars >= BATCH_CHARS) yield take();
    }
    await ended(parser);
  } catch (error) {
    if (!isCsvError(error)) throw error;
    // `rows` includes the header.
    const row = rows === 0 ? undefined : rows;
    throw new TableError({ row, line: lines + 1, column: undefined, message: csvMessage(error) });
  } finally {
    parser.destroy();
  }
  while (waiting.length > 0) yield take();
}

function written(parser: Parser, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

function ended(parser: Parser): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.once('error', reject).once('end', resolve).resume().end();
  });
}

function isCsvError(error: unknown): error is CsvError {
  return error instanceof Error && 'code' in error && /^(?:CSV_|INVALID_)/.test(String(error.code));
}

function csvMessage({ code, message }: CsvError): string {
  const hint = 'Quote a cell that contains quotes, and double each of them: "a ""word""".';
  switch (code as string) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'A quoted cell of this row has no closing quote.';
    case 'CSV_INVALID_CLOSING_QUOTE':
      return `A cell continues after its closing quote. ${hint}`;
    case 'INVALID_OPENING_QUOTE':
      return `A cell has a quote in the middle. ${hint}`;
    case 'CSV_MAX_RECORD_SIZE':
      return 'This row has more than 32 MiB. A quoted cell may lack its closing quote.';
    default:
      return message;
  }
}
