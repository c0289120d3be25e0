import { plainNumber } from './number-text.ts';
import type { SpreadsheetFile } from './open-spreadsheet.ts';
import type { SheetPart } from './read-xlsx.ts';
import { FORMULA, MAX_COLUMNS, MAX_ROWS, MERGED, RowCollector, SpreadsheetError } from './sheet-row.ts';
import { chooseSheet, type SheetEntry } from './workbook.ts';
import { readXml } from './xml-events.ts';

type Attributes = Readonly<Record<string, string>>;

/** Maximum number of spaces that one element stands for. */
const MAX_SPACES = 100_000;

/**
 * Reads the rows of a sheet of an OpenDocument spreadsheet (OpenDocument 1.3, part 3, 9), in order. Throws SpreadsheetError
 * for a damaged one and for a missing sheet.
 */
export async function* readOds({ parts }: SpreadsheetFile, name: string | undefined): AsyncGenerator<SheetPart> {
  const content = parts.get('content.xml');
  if (content === undefined) throw new SpreadsheetError('The spreadsheet is damaged: it lacks content.xml.');
  const reader = new OdsReader(name);
  for await (const bytes of readXml(content, reader)) {
    yield { rows: reader.rows.take(), part: bytes / Math.max(1, content.bytes) };
    if (reader.isOver) return;
  }
  if (!reader.isOver)
    chooseSheet(
      reader.sheets.map((sheet) => ({ ...sheet, isHidden: true })),
      name,
    );
}

/** Collects the rows of one sheet. */
class OdsReader {
  readonly rows = new RowCollector();
  readonly sheets: SheetEntry[] = [];
  isOver = false;
  readonly #name: string | undefined;
  readonly #hiddenStyles = new Set<string>();
  #style = '';
  /** The number of open tables: a table may be within a cell of another one. */
  #tables = 0;
  #isWanted = false;
  #rowRepeat = 1;
  #at = 0;
  #cell: Attributes | undefined;
  #text = '';
  #paragraphs = 0;
  #isInParagraph = false;
  /** True after a space of the text itself, which a document joins with the next ones. */
  #isAfterSpace = false;
  #notes = 0;

  constructor(name: string | undefined) {
    this.#name = name;
  }

  readonly open = (tag: string, attributes: Attributes): void => {
    if (tag === 'table:table') this.#openTable(attributes);
    else if (tag === 'style:style') this.#style = attributes['style:name'] ?? '';
    else if (tag === 'style:table-properties' && attributes['table:display'] === 'false')
      this.#hiddenStyles.add(this.#style);
    if (!this.#isWanted || this.#tables !== 1) return;
    if (this.#cell !== undefined) this.#openInCell(tag, attributes);
    else if (tag === 'table:table-row') {
      this.#rowRepeat = repeatOf(attributes, 'table:number-rows-repeated', MAX_ROWS);
      this.#at = 0;
      this.rows.begin(this.rows.line + 1);
    } else if (tag === 'table:table-cell' || tag === 'table:covered-table-cell') {
      this.#cell = attributes;
      [this.#text, this.#paragraphs] = ['', 0];
    }
  };

  readonly text = (text: string): void => {
    if (!this.#isInParagraph || this.#notes > 0) return;
    // A document collapses white space, as HTML does (OpenDocument 1.3, part 3, 6.1.2).
    const collapsed = text.replace(/[ \t\r\n]+/g, ' ');
    const kept = this.#isAfterSpace ? collapsed.replace(/^ /, '') : collapsed;
    this.#text += kept;
    if (kept !== '') this.#isAfterSpace = kept.endsWith(' ');
  };

  readonly close = (tag: string): void => {
    if (tag === 'table:table') {
      this.#tables -= 1;
      if (this.#tables === 0 && this.#isWanted) [this.#isWanted, this.isOver] = [false, true];
      return;
    }
    if (!this.#isWanted || this.#tables !== 1) return;
    if (tag === 'text:p' || tag === 'text:h') this.#isInParagraph = false;
    else if (tag === 'office:annotation') this.#notes -= 1;
    else if (tag === 'table:table-cell') this.#endCell(this.#cell ?? {});
    else if (tag === 'table:covered-table-cell') this.#skip(this.#cell ?? {});
    else if (tag === 'table:table-row') this.rows.end(this.#rowRepeat);
  };

  #openTable(attributes: Attributes): void {
    this.#tables += 1;
    if (this.#tables > 1 || this.isOver) return;
    const name = attributes['table:name'] ?? '';
    const isHidden = this.#hiddenStyles.has(attributes['table:style-name'] ?? '');
    this.sheets.push({ name, isHidden });
    this.#isWanted = this.#name === undefined ? !isHidden : name === this.#name;
  }

  #openInCell(tag: string, attributes: Attributes): void {
    if (tag === 'office:annotation') this.#notes += 1;
    if (this.#notes > 0) return;
    switch (tag) {
      case 'text:p':
      case 'text:h':
        if (this.#paragraphs > 0) this.#text += '\n';
        this.#paragraphs += 1;
        this.#isInParagraph = true;
        this.#isAfterSpace = true;
        break;
      case 'text:s':
        this.#isAfterSpace = false;
        this.#text += ' '.repeat(repeatOf(attributes, 'text:c', MAX_SPACES));
        break;
      case 'text:tab':
        this.#isAfterSpace = false;
        this.#text += '\t';
        break;
      case 'text:line-break':
        this.#isAfterSpace = false;
        this.#text += '\n';
        break;
    }
  }

  #endCell(cell: Attributes): void {
    const isMerged = ['table:number-columns-spanned', 'table:number-rows-spanned'].some(
      (each) => Number(cell[each] ?? 1) > 1,
    );
    const fault = cell['table:formula'] !== undefined ? FORMULA : isMerged ? MERGED : undefined;
    const text = textOfCell(cell, this.#text);
    const at = this.#at;
    this.#skip(cell);
    if (text === '' && fault === undefined) return;
    for (let each = at; each < this.#at; each++) this.rows.add(each, text, fault);
  }

  #skip(cell: Attributes): void {
    this.#at += repeatOf(cell, 'table:number-columns-repeated', MAX_COLUMNS + 1);
    this.#cell = undefined;
  }
}

function repeatOf(attributes: Attributes, name: string, most: number): number {
  const count = Number(attributes[name] ?? 1);
  return count >= 1 ? Math.min(Math.trunc(count), most) : 1;
}

function textOfCell(cell: Attributes, text: string): string {
  switch (cell['office:value-type']) {
    case 'float':
    case 'percentage':
    case 'currency': {
      const value = cell['office:value'] ?? text;
      // The format of a number may show leading zeros.
      return /^0\d+$/.test(text) && Number(text) === Number(value) ? text : plainNumber(value);
    }
    case 'date':
      return (cell['office:date-value'] ?? text).replace(/\.\d+$/, '').replace(/T00:00:00$/, '');
    case 'boolean':
      return cell['office:boolean-value'] ?? text;
    case 'string':
      return cell['office:string-value'] ?? text;
    default:
      return text;
  }
}
