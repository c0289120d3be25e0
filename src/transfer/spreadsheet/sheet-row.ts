/** The number of rows and columns of the largest sheet that spreadsheet programs make. */
export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;
/** The maximum number of cells, with the empty ones before a value. Cells far to the right of each row cost time. */
const MAX_CELLS = 250_000_000;
const LETTERS = 26;
const LETTER_A = 65;

/** A row of a sheet with at least one value. */
export interface SheetRow {
  /** Its number in the sheet, from 1. */
  readonly line: number;
  /** The texts of its cells up to the last value. Empty texts for empty cells. */
  readonly cells: readonly string[];
  /** The first cell without a text of its own, such as a formula. */
  readonly fault?: SheetFault | undefined;
}

interface SheetFault {
  /** The position of the cell in the row, from 0. */
  readonly at: number;
  readonly message: string;
}

/** The error for a file that cannot be read as a spreadsheet. */
export class SpreadsheetError extends Error {
  override readonly name = 'SpreadsheetError';

  constructor(
    message: string,
    /** The row of the sheet, from 1. */
    readonly line?: number,
  ) {
    super(message);
  }
}

/** Collects the cells of the rows of a sheet, in their order. */
export class RowCollector {
  #rows: SheetRow[] = [];
  #cells: string[] = [];
  #fault: SheetFault | undefined;
  #width = 0;
  #count = 0;
  line = 0;

  /** Begins a row. */
  begin(line: number): void {
    this.line = line;
    this.#cells = [];
    this.#fault = undefined;
    this.#width = 0;
  }

  /** Adds a cell, which follows the previous one at any distance. */
  add(at: number, text: string, fault?: string): void {
    if (!(at >= 0 && at < MAX_COLUMNS))
      throw new SpreadsheetError(`The sheet has more than ${MAX_COLUMNS} columns.`, this.line);
    if (fault !== undefined) this.#fault ??= { at, message: fault };
    if (text === '' && fault === undefined) return;
    while (this.#cells.length < at) this.#cells.push('');
    this.#cells[at] = text;
    this.#width = this.#cells.length;
  }

  /** Ends a row, which is repeated on the following lines. Throws SpreadsheetError for a value below the last row of a sheet. */
  end(repeat = 1): void {
    const { line } = this;
    const last = line + repeat - 1;
    if (this.#width > 0) {
      this.#count += this.#width * repeat;
      if (!(line >= 1 && last <= MAX_ROWS)) throw new SpreadsheetError(`The sheet has more than ${MAX_ROWS} rows.`);
      if (this.#count > MAX_CELLS) throw new SpreadsheetError('The sheet has too many cells.', line);
      this.#rows.push({ line, cells: this.#cells, fault: this.#fault });
      for (let more = line + 1; more <= last; more++)
        this.#rows.push({ line: more, cells: this.#cells, fault: this.#fault });
    }
    this.line = last;
  }

  /** Returns the rows that have ended since the last call. */
  take(): SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}

/** Returns the letters of a column: `A` for 0, `AB` for 27. */
export function columnLetters(at: number): string {
  const rest = String.fromCharCode(LETTER_A + (at % LETTERS));
  return at < LETTERS ? rest : columnLetters(Math.floor(at / LETTERS) - 1) + rest;
}

/** Returns the position of a column by a reference such as `AB12`, from 0; -1 without letters. */
export function columnOfReference(reference: string): number {
  let number = 0;
  for (let index = 0; index < reference.length; index++) {
    const code = reference.charCodeAt(index) - LETTER_A;
    if (code < 0 || code >= LETTERS) break;
    number = number * LETTERS + code + 1;
  }
  return number - 1;
}

/** The fault of a cell with a formula. */
export const FORMULA =
  'The cell has a formula. Replace it by its value, or format the cell as text and enter it again.';
/** The fault of a cell that spans others. */
export const MERGED = 'The cell is merged with others. Split it, and fill in each of its cells.';
