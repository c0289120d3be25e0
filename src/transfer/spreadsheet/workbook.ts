import { posix } from 'node:path';
import type { PackageFile } from '../files/package.ts';
import { type NumberLook, numberLook } from './number-text.ts';
import { SpreadsheetError } from './sheet-row.ts';
import { localName, readWholeXml, type XmlHandler } from './xml-events.ts';

/** Maximum size of the list of sheets, and of the formats of cells. */
const MAX_BYTES = 32 * 1024 * 1024;

/** A sheet of a spreadsheet. */
export interface SheetEntry {
  readonly name: string;
  readonly isHidden: boolean;
}

interface XlsxSheet extends SheetEntry {
  readonly part: PackageFile;
}

/** The description of a workbook (ECMA-376, part 1, 18.2). */
export interface Workbook {
  /** The sheets with cells, in their order. */
  readonly sheets: readonly XlsxSheet[];
  /** True if dates count from 1904. */
  readonly is1904: boolean;
  readonly sharedTexts: PackageFile | undefined;
  /** The looks of numbers by the format of their cell. */
  readonly looks: readonly NumberLook[];
}

type Parts = ReadonlyMap<string, PackageFile>;

/** Reads the description of a workbook. Throws SpreadsheetError if it is damaged. */
export async function readWorkbook(parts: Parts): Promise<Workbook> {
  const [book] = await targetsOf(parts, '');
  const path = book?.path ?? 'xl/workbook.xml';
  const targets = await targetsOf(parts, path);
  const sheets: XlsxSheet[] = [];
  let is1904 = false;
  await read(parts, path, {
    open(name, attributes) {
      const local = localName(name);
      if (local === 'workbookPr') is1904 = ['1', 'true'].includes(attributes.date1904 ?? '');
      if (local !== 'sheet') return;
      const id = Object.entries(attributes).find(([each]) => each.endsWith(':id'))?.[1];
      const target = targets.find((each) => each.id === id && each.type === 'worksheet');
      const part = target && parts.get(target.path);
      if (part)
        sheets.push({ name: attributes.name ?? '', isHidden: (attributes.state ?? 'visible') !== 'visible', part });
    },
  });
  const named = (type: string) => targets.find((each) => each.type === type)?.path ?? '';
  const styles = named('styles');
  return {
    ...{ sheets, is1904, sharedTexts: parts.get(named('sharedStrings')) },
    looks: parts.has(styles) ? await readLooks(parts, styles) : [],
  };
}

/** Chooses a sheet by name, or else the first visible one. Throws SpreadsheetError if there is none. */
export function chooseSheet<T extends SheetEntry>(sheets: readonly T[], name: string | undefined): T {
  const chosen = sheets.find((sheet) => (name === undefined ? !sheet.isHidden : sheet.name === name));
  if (chosen !== undefined) return chosen;
  if (name === undefined) throw new SpreadsheetError('The spreadsheet has no visible sheet with cells.');
  const names = sheets.map((sheet) => `"${sheet.name}"`).join(', ');
  throw new SpreadsheetError(`The spreadsheet has no sheet ${JSON.stringify(name)}. Its sheets: ${names}.`);
}

async function readLooks(parts: Parts, path: string): Promise<NumberLook[]> {
  const codes = new Map<number, string>();
  const looks: NumberLook[] = [];
  let isOfCells = false;
  await read(parts, path, {
    open(name, { numFmtId, formatCode }) {
      const local = localName(name);
      if (local === 'numFmt') codes.set(Number(numFmtId), formatCode ?? '');
      else if (local === 'cellXfs') isOfCells = true;
      else if (local === 'xf' && isOfCells) looks.push(numberLook(Number(numFmtId), codes.get(Number(numFmtId))));
    },
    close(name) {
      if (localName(name) === 'cellXfs') isOfCells = false;
    },
  });
  return looks;
}

interface Target {
  readonly id: string;
  /** The last part of its type, such as `worksheet`. */
  readonly type: string;
  readonly path: string;
}

/** Returns the parts that a part refers to; for the empty path the main part of the file. */
async function targetsOf(parts: Parts, path: string): Promise<Target[]> {
  const folder = posix.dirname(path);
  const list = posix.join(folder, '_rels', `${posix.basename(path)}.rels`);
  const targets: Target[] = [];
  if (!parts.has(list)) return targets;
  await read(parts, list, {
    open(name, { Id: id = '', Type = '', Target: target = '' }) {
      if (localName(name) !== 'Relationship') return;
      const type = Type.slice(Type.lastIndexOf('/') + 1);
      if (path === '' && type !== 'officeDocument') return;
      const own = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
      targets.push({ id, type, path: own });
    },
  });
  return targets;
}

async function read(parts: Parts, path: string, handler: XmlHandler): Promise<void> {
  const part = parts.get(path);
  if (part === undefined) throw new SpreadsheetError(`The spreadsheet is damaged: it lacks ${path}.`);
  await readWholeXml(part, handler, MAX_BYTES);
}
