import { numberText } from './number-text.ts';
import type { SpreadsheetFile } from './open-spreadsheet.ts';
import { SharedTexts } from './shared-texts.ts';
import { columnOfReference, FORMULA, RowCollector, type SheetRow, SpreadsheetError } from './sheet-row.ts';
import { chooseSheet, readWorkbook, type Workbook } from './workbook.ts';
import { localName, readXml } from './xml-events.ts';

/** Rows of a sheet, and the part of the sheet that was read with them, from 0 to 1. */
export interface SheetPart {
  readonly rows: readonly SheetRow[];
  readonly part: number;
}

interface XlsxCell {
  at: number;
  /** The kind of its value. */
  type: string;
  /** The number of its format. */
  style: number;
  value: string;
  inline: string;
  hasFormula: boolean;
}

interface CellText {
  readonly text: string;
  readonly fault?: string;
}

const ESCAPED = /_x([0-9A-Fa-f]{4})_/g;
const MAX_NAMED_RANGES = 3;

/**
 * Reads the rows of a sheet of an Office Open XML workbook (ECMA-376, part 1, 18.3), in order. Throws SpreadsheetError for a
 * damaged workbook, for a missing sheet, and at the end for merged cells.
 */
export async function* readXlsx({ parts }: SpreadsheetFile, name: string | undefined): AsyncGenerator<SheetPart> {
  const book = await readWorkbook(parts);
  const sheet = chooseSheet(book.sheets, name);
  const texts = await readSharedTexts(book);
  const rows = new RowCollector();
  const merged: string[] = [];
  const cell: XlsxCell = { at: 0, type: '', style: 0, value: '', inline: '', hasFormula: false };
  let next = 0;
  let place: 'value' | 'inline' | undefined;
  let phonetic = 0;

  function add(): void {
    const { text, fault } = textOfCell(cell, texts, book);
    rows.add(cell.at, text, fault);
  }

  const events = readXml(sheet.part, {
    open(tag, attributes) {
      switch (localName(tag)) {
        case 'row':
          rows.begin(attributes.r === undefined ? rows.line + 1 : Number(attributes.r));
          next = 0;
          break;
        case 'c':
          cell.at = attributes.r === undefined ? next : columnOfReference(attributes.r);
          next = cell.at + 1;
          cell.type = attributes.t ?? '';
          cell.style = Number(attributes.s ?? 0);
          cell.value = '';
          cell.inline = '';
          cell.hasFormula = false;
          break;
        case 'v':
          place = 'value';
          break;
        case 'f':
          cell.hasFormula = true;
          break;
        case 't':
          if (phonetic === 0) place = 'inline';
          break;
        case 'rPh':
          phonetic += 1;
          break;
        case 'mergeCell':
          merged.push(attributes.ref ?? '');
          break;
      }
    },
    text(text) {
      if (place === 'value') cell.value += text;
      else if (place === 'inline') cell.inline += text;
    },
    close(tag) {
      switch (localName(tag)) {
        case 'v':
        case 't':
          place = undefined;
          break;
        case 'rPh':
          phonetic -= 1;
          break;
        case 'c':
          add();
          break;
        case 'row':
          rows.end();
          break;
      }
    },
  });
  for await (const bytes of events) yield { rows: rows.take(), part: bytes / Math.max(1, sheet.part.bytes) };
  if (merged.length > 0) throw mergedCells(merged);
}

function textOfCell(
  { type, style, value, inline, hasFormula }: XlsxCell,
  texts: SharedTexts,
  { looks, is1904 }: Workbook,
): CellText {
  if (hasFormula) return { text: value, fault: FORMULA };
  if (type === 'inlineStr') return { text: unescaped(inline) };
  if (value === '') return { text: '' };
  switch (type) {
    case 's': {
      const text = texts.at(Number(value));
      return text === undefined ? { text: value, fault: 'The cell refers to a text that is missing.' } : { text };
    }
    case 'str':
      return { text: unescaped(value) };
    case 'b':
      return { text: value === '1' ? 'true' : 'false' };
    case 'e':
      return { text: value, fault: `The cell has the error ${value}.` };
    case 'd':
      return { text: value };
    default: {
      const text = numberText(value, looks[style] ?? 'plain', is1904);
      if (text !== undefined) return { text };
      return { text: value, fault: `The number ${value} is formatted as a date, but is none.` };
    }
  }
}

function mergedCells(ranges: readonly string[]): SpreadsheetError {
  const [first = ''] = ranges;
  const more = ranges.length - MAX_NAMED_RANGES;
  const named = ranges.slice(0, MAX_NAMED_RANGES).join(', ');
  const others = more > 0 ? ` and ${more} more ${more === 1 ? 'range' : 'ranges'}` : '';
  return new SpreadsheetError(
    `Cells are merged: ${named}${others}. Split them, and fill in each of the cells.`,
    Number(/\d+/.exec(first)?.[0]) || undefined,
  );
}

async function readSharedTexts({ sharedTexts }: Workbook): Promise<SharedTexts> {
  const texts = new SharedTexts(sharedTexts?.bytes ?? 0);
  if (sharedTexts === undefined) return texts;
  let [text, isText, phonetic] = ['', false, 0];
  const events = readXml(sharedTexts, {
    open(tag) {
      const name = localName(tag);
      if (name === 'si') text = '';
      else if (name === 't') isText = phonetic === 0;
      else if (name === 'rPh') phonetic += 1;
    },
    text(part) {
      if (isText) text += part;
    },
    close(tag) {
      const name = localName(tag);
      if (name === 't') isText = false;
      else if (name === 'rPh') phonetic -= 1;
      else if (name === 'si') texts.add(unescaped(text));
    },
  });
  for await (const _ of events);
  return texts;
}

/** Returns a text with the characters that are escaped as `_x000A_` (ECMA-376, part 1, 22.4.2.4). */
function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
