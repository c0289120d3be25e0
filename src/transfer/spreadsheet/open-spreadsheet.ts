import { open, stat } from 'node:fs/promises';
import { PackageError, type PackageFile } from '../files/package.ts';
import { listZip } from '../zip/list-zip.ts';
import { SpreadsheetError } from './sheet-row.ts';

const ZIP = Buffer.from('PK\x03\x04');
const COMPOUND_FILE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);
/** The entry of a compound file with a workbook that has a password (MS-OFFCRYPTO, 2.3.1). */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');
/** Places in the header of a compound file (MS-CFB, 2.2), and the size of its folder that is searched. */
const SECTOR_SHIFT_AT = 30;
const FOLDER_SECTOR_AT = 48;
const HEADER_BYTES = 64;
const SEARCHED_BYTES = 8 * 1024;

const MAX_ENTRIES = 20_000;
const MIB = 1024 * 1024;
const MAX_BYTES = 4 * 1024 * MIB;
/** The unpacked size up to which any compression is harmless, and the maximum compression above that. */
const HARMLESS_BYTES = 64 * MIB;
const MAX_RATIO = 200;
const MAX_TYPE_BYTES = 4 * MIB;
const ODS_TYPE = 'application/vnd.oasis.opendocument.spreadsheet';
const PASSWORD = 'The spreadsheet has a password. Remove the password, and save it again.';
const MACROS = 'The spreadsheet has macros. Save it as .xlsx or .ods, without macros.';

/** The parts of a spreadsheet by path. */
export interface SpreadsheetFile {
  readonly format: 'xlsx' | 'ods';
  readonly parts: ReadonlyMap<string, PackageFile>;
}

/**
 * Opens a spreadsheet; undefined for a file of another kind. Throws SpreadsheetError for one with a password or macros, of
 * an unsupported kind, damaged, or much larger than its file; errors of the system.
 */
export async function openSpreadsheet(path: string): Promise<SpreadsheetFile | undefined> {
  if (!(await isArchive(path))) return undefined;
  const parts = await listParts(path);
  const names = [...parts.keys()];
  if (names.includes('encrypted-package')) throw new SpreadsheetError(PASSWORD);
  const hasMacros = names.some((name) => name.endsWith('vbaProject.bin') || /^(Basic|Scripts)\//.test(name));
  if (parts.has('content.xml')) {
    if (hasMacros) throw new SpreadsheetError(MACROS);
    return openOds(parts);
  }
  if (!parts.has('[Content_Types].xml'))
    throw new SpreadsheetError('The table is a zip file, but no spreadsheet (.xlsx, .ods).');
  const types = await textOf(parts, '[Content_Types].xml');
  if (types.includes('sheet.binary'))
    throw new SpreadsheetError('The spreadsheet is binary (.xlsb). Save it as .xlsx.');
  if (hasMacros || types.includes('macroEnabled')) throw new SpreadsheetError(MACROS);
  if (!types.includes('spreadsheetml')) throw new SpreadsheetError('The file is a document, but no spreadsheet.');
  return { format: 'xlsx', parts };
}

async function openOds(parts: SpreadsheetFile['parts']): Promise<SpreadsheetFile> {
  const type = await textOf(parts, 'mimetype');
  if (!type.startsWith(ODS_TYPE)) throw new SpreadsheetError('The file is a document, but no spreadsheet.');
  const manifest = await textOf(parts, 'META-INF/manifest.xml');
  if (manifest.includes('encryption-data')) throw new SpreadsheetError(PASSWORD);
  return { format: 'ods', parts };
}

/** Returns true for an archive. Throws SpreadsheetError for a workbook with a password. */
async function isArchive(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const { bytesRead } = await file.read(header, 0, HEADER_BYTES, 0);
    if (header.subarray(0, ZIP.length).equals(ZIP)) return true;
    if (bytesRead < HEADER_BYTES || !header.subarray(0, COMPOUND_FILE.length).equals(COMPOUND_FILE)) return false;
    const sector = header.readUInt32LE(FOLDER_SECTOR_AT) + 1;
    const folder = Buffer.alloc(SEARCHED_BYTES);
    await file.read(folder, 0, SEARCHED_BYTES, sector * 2 ** header.readUInt16LE(SECTOR_SHIFT_AT));
    if (folder.includes(ENCRYPTED)) throw new SpreadsheetError(PASSWORD);
    return false;
  } finally {
    await file.close();
  }
}

async function listParts(path: string): Promise<SpreadsheetFile['parts']> {
  const limits = { maxEntries: MAX_ENTRIES, maxBytes: Number.POSITIVE_INFINITY, maxRatio: Number.POSITIVE_INFINITY };
  const parts = await explained(path, () => listZip(path, limits));
  const packed = (await stat(path)).size;
  let bytes = 0;
  for (const part of parts.values()) bytes += part.bytes;
  if (bytes > MAX_BYTES || (bytes > HARMLESS_BYTES && bytes > packed * MAX_RATIO))
    throw new SpreadsheetError(
      `The spreadsheet has ${Math.ceil(bytes / MIB)} MiB when unpacked, ${Math.ceil(bytes / packed)} times its size, which is too much. Save it as "CSV UTF-8".`,
    );
  return new Map([...parts].map(([name, part]) => [name, { ...part, open: () => explainedBytes(path, part.open()) }]));
}

async function textOf(parts: SpreadsheetFile['parts'], name: string): Promise<string> {
  const part = parts.get(name);
  if (part === undefined) throw new SpreadsheetError(`The spreadsheet is damaged: it lacks ${name}.`);
  if (part.bytes > MAX_TYPE_BYTES) throw new SpreadsheetError(`The spreadsheet is damaged: ${name} is too large.`);
  return Buffer.concat(await Array.fromAsync(part.open())).toString('utf8');
}

async function explained<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw withoutPath(path, error);
  }
}

async function* explainedBytes(path: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw withoutPath(path, error);
  }
}

/** Returns an error of the archive as SpreadsheetError; other errors unchanged. */
function withoutPath(path: string, error: unknown): unknown {
  if (!(error instanceof PackageError)) return error;
  const reason = error.message.replaceAll(path, 'the file');
  return new SpreadsheetError(`The spreadsheet cannot be read: ${reason}`);
}
