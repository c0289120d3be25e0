import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { codeOf } from '../../base/errors.ts';
import { MAX_FILES } from '../files/list-folder.ts';
import { PackageError, type PackageFile } from '../files/package.ts';
import { PathRegister, shown } from '../files/package-path.ts';

const OPTIONS = { autoClose: false, strictFileNames: true } as const;
const STORED = 0;
const DEFLATED = 8;
/** Systems that write the type of a file into the upper half of the attributes of an entry. */
const UNIX = new Set([3, 19]);
const FILE_TYPE_MASK = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;
/** The extra field with the name of an entry in UTF-8. */
const UNICODE_PATH_FIELD = 0x7075;
/** The flag of an entry whose name is UTF-8. */
const IS_UTF8 = 0x800;
/** Minimum size of a local header. */
const HEADER_BYTES = 30;
/** Unpacked size up to which any compression ratio is harmless. */
const HARMLESS_BYTES = 64 * 1024 * 1024;

/** The limits of an archive. */
export interface ZipLimits {
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** Maximum ratio of the unpacked size to the size of the archive. Collections are far below it, zip bombs far above. */
  readonly maxRatio: number;
}

export const DEFAULT_ZIP_LIMITS: ZipLimits = { maxEntries: MAX_FILES, maxBytes: 4 * 1024 ** 4, maxRatio: 200 };

/**
 * Lists the files of a zip archive by path, from its directory, without unpacking them. Throws PackageError for an invalid
 * or truncated archive, for encrypted entries, links, devices, unsafe or duplicate names, and above the limits.
 */
export async function listZip(path: string, limits: ZipLimits): Promise<Map<string, PackageFile>> {
  const zip = await openZip(path);
  try {
    return await listEntries(path, zip, limits);
  } finally {
    zip.close();
  }
}

async function listEntries(path: string, zip: ZipFile, limits: ZipLimits): Promise<Map<string, PackageFile>> {
  if (zip.entryCount > limits.maxEntries) throw tooMany(path, limits);
  const register = new PathRegister();
  const files = new Map<string, PackageFile>();
  let bytes = 0;
  let packed = 0;
  for await (const entry of entriesOf(path, zip)) {
    entry.fileName = nameOf(entry);
    const isFolder = entry.fileName.endsWith('/');
    requireUsable(path, entry, isFolder);
    packed += entry.compressedSize + HEADER_BYTES;
    bytes += entry.uncompressedSize;
    // Entries that share their bytes, or that are larger than the archive, are a zip bomb or damaged.
    if (packed > zip.fileSize) throw new PackageError(`${path}: its entries overlap. Create the archive again.`);
    if (bytes > limits.maxBytes) throw tooLarge(path, `${limits.maxBytes} bytes`);
    if (isFolder) continue;
    register.add(entry.fileName, path);
    if (files.size >= limits.maxEntries) throw tooMany(path, limits);
    files.set(entry.fileName, {
      bytes: entry.uncompressedSize,
      open: () => readZipEntry(path, entry),
    });
  }
  if (bytes > HARMLESS_BYTES && bytes > zip.fileSize * limits.maxRatio)
    throw tooLarge(path, `${limits.maxRatio} times its own size`);
  return files;
}

/**
 * Returns the name of an entry. Programs on Unix write UTF-8 without the flag that says so, which the library reads as the
 * code page 437.
 */
function nameOf({ fileName, fileNameRaw, generalPurposeBitFlag, versionMadeBy, extraFields }: Entry): string {
  const isMarked = (generalPurposeBitFlag & IS_UTF8) !== 0 || extraFields.some(({ id }) => id === UNICODE_PATH_FIELD);
  if (isMarked || !UNIX.has(versionMadeBy >>> 8) || !isUtf8(fileNameRaw)) return fileName;
  return fileNameRaw.toString();
}

function requireUsable(path: string, entry: Entry, isFolder: boolean): void {
  const fail = (why: string) => new PackageError(`${path}: the entry ${shown(entry.fileName)} ${why}.`);
  if (entry.isEncrypted()) throw fail('is encrypted; it must be plain');
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    throw fail(`has the compression method ${entry.compressionMethod}; it must be stored or deflated`);
  const type = UNIX.has(entry.versionMadeBy >>> 8) ? (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK : 0;
  if (type !== 0 && type !== (isFolder ? FOLDER : REGULAR))
    throw fail('is a link or a device; a package may contain only files and folders');
  if (isFolder && entry.uncompressedSize > 0) throw fail('is a folder with bytes; it must have none');
}

async function* entriesOf(path: string, zip: ZipFile): AsyncGenerator<Entry> {
  try {
    yield* zip.eachEntry();
  } catch (error) {
    throw explained(path, error);
  }
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, OPTIONS);
  } catch (error) {
    throw explained(path, error);
  }
}

/** Returns an error of the zip library as PackageError; other errors unchanged. */
function explained(path: string, error: unknown): unknown {
  if (error instanceof PackageError || !(error instanceof Error) || codeOf(error) !== undefined) return error;
  return new PackageError(
    `${path} is an incomplete, invalid or unsafe zip archive: ${error.message.replace(/\.$/, '')}.`,
    {
      cause: error,
    },
  );
}

function tooMany(path: string, { maxEntries }: ZipLimits): PackageError {
  return new PackageError(`${path} has more than ${maxEntries} files, the maximum.`);
}

function tooLarge(path: string, most: string): PackageError {
  return new PackageError(
    `${path} is larger than ${most} when unpacked, the maximum. If this is expected, unpack it and name the folder.`,
  );
}

/**
 * Unpacks the bytes of an entry, at most as many as its archive declares. Throws PackageError at the end if their
 * checksum differs.
 */
async function* readZipEntry(path: string, entry: Entry): AsyncGenerator<Uint8Array> {
  const fail = (why: string, cause?: unknown) =>
    new PackageError(`${path}: the entry ${shown(entry.fileName)} is damaged: ${why}.`, { cause });
  const zip = await openZip(path);
  try {
    let bytes = 0;
    let sum = 0;
    for await (const chunk of unpacked(zip, entry, fail)) {
      bytes += chunk.byteLength;
      if (bytes > entry.uncompressedSize) throw fail(`it has more than the declared ${entry.uncompressedSize} bytes`);
      sum = crc32(chunk, sum);
      yield chunk;
    }
    if (bytes !== entry.uncompressedSize) throw fail(`it has ${bytes} of the declared ${entry.uncompressedSize} bytes`);
    if (sum !== entry.crc32) throw fail('its checksum differs from the declared one');
  } finally {
    zip.close();
  }
}

async function* unpacked(
  zip: ZipFile,
  entry: Entry,
  fail: (why: string, cause: unknown) => PackageError,
): AsyncGenerator<Uint8Array> {
  try {
    const stream = await zip.openReadStreamPromise(entry);
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw fail(error instanceof Error ? error.message : String(error), error);
  }
}
