import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { codeOf } from '../../base/errors.ts';
import { MAX_FILES } from '../files/list-folder.ts';
import { PackageError, type PackageFile } from '../files/package.ts';
import { PathRegister, shown } from '../files/package-path.ts';

const OPTIONS = { autoClose: false, strictFileNames: true } as const;
const STORED = 0;
const DEFLATED = 8;
/** Systems whose entries say in the upper half of their attributes what kind of file they are. */
const UNIX = new Set([3, 19]);
const FILE_TYPE_MASK = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;
/** A local header is that long at least. */
const HEADER_BYTES = 30;

/**
 * The files of a zip archive by path, from its directory: nothing is unpacked. Throws PackageError for what is no zip or
 * only a part of one, for encrypted entries, links, devices, names that are not safe or come twice, and for more than
 * the limits allow.
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
  const found = new Map<string, PackageFile>();
  let bytes = 0;
  let packed = 0;
  for await (const entry of entriesOf(path, zip)) {
    const isFolder = entry.fileName.endsWith('/');
    requireUsable(path, entry, isFolder);
    packed += entry.compressedSize + HEADER_BYTES;
    bytes += entry.uncompressedSize;
    // Entries that share their bytes, or that say they are larger than the archive, are a bomb or damaged.
    if (packed > zip.fileSize) throw new PackageError(`${path}: its entries overlap; the archive must be made anew.`);
    if (bytes > limits.maxBytes) throw tooLarge(path, `${limits.maxBytes} bytes`);
    if (isFolder) continue;
    register.add(entry.fileName, path);
    if (found.size >= limits.maxEntries) throw tooMany(path, limits);
    found.set(entry.fileName, {
      bytes: entry.uncompressedSize,
      open: () => readZipEntry(path, () => openZip(path), entry),
    });
  }
  if (bytes > HARMLESS_BYTES && bytes > zip.fileSize * limits.maxRatio)
    throw tooLarge(path, `${limits.maxRatio} times its own size`);
  return found;
}

function requireUsable(path: string, entry: Entry, isFolder: boolean): void {
  const fail = (why: string) => new PackageError(`${path}: the entry ${shown(entry.fileName)} ${why}.`);
  if (entry.isEncrypted()) throw fail('is encrypted; it must not be');
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    throw fail(`is packed by the method ${entry.compressionMethod}; it must be stored or deflated`);
  const type = UNIX.has(entry.versionMadeBy >>> 8) ? (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK : 0;
  if (type !== 0 && type !== (isFolder ? FOLDER : REGULAR))
    throw fail('is a link or a device; only files and folders may be in a package');
  if (isFolder && entry.uncompressedSize > 0) throw fail('is a folder with bytes of its own; it must have none');
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

/** What the reader of archives says, as a message of ours; what the system says stays as it is. */
function explained(path: string, error: unknown): unknown {
  if (error instanceof PackageError || !(error instanceof Error) || codeOf(error) !== undefined) return error;
  return new PackageError(`${path} is no whole zip archive, or one that is not safe to unpack: ${error.message}.`, {
    cause: error,
  });
}

function tooMany(path: string, { maxEntries }: ZipLimits): PackageError {
  return new PackageError(`${path} holds more than ${maxEntries} files, which is the most it may.`);
}

function tooLarge(path: string, most: string): PackageError {
  return new PackageError(
    `${path} would be more than ${most} when unpacked, which is the most it may. If that is right, unpack it and give the folder.`,
  );
}

/** How much an archive may hold. */
export interface ZipLimits {
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** How many times its own size an archive may hold: no collection comes near it, and a bomb is far above. */
  readonly maxRatio: number;
}

export const DEFAULT_ZIP_LIMITS: ZipLimits = { maxEntries: MAX_FILES, maxBytes: 4 * 1024 ** 4, maxRatio: 200 };
/** Below it nobody minds how well something is packed. */
export const HARMLESS_BYTES = 64 * 1024 * 1024;

/**
 * The bytes of an entry, unpacked on the way, and never more of them than its archive announces. Throws PackageError at
 * the end for bytes that are not those that were packed.
 */
export async function* readZipEntry(
  path: string,
  open: () => Promise<ZipFile>,
  entry: Entry,
): AsyncGenerator<Uint8Array> {
  const fail = (why: string, cause?: unknown) =>
    new PackageError(`${path}: the entry ${shown(entry.fileName)} is damaged: ${why}.`, { cause });
  const zip = await open();
  try {
    let bytes = 0;
    let sum = 0;
    for await (const chunk of unpacked(zip, entry, fail)) {
      bytes += chunk.byteLength;
      if (bytes > entry.uncompressedSize) throw fail(`it has more than the announced ${entry.uncompressedSize} bytes`);
      sum = crc32(chunk, sum);
      yield chunk;
    }
    if (bytes !== entry.uncompressedSize)
      throw fail(`it has ${bytes} bytes of the announced ${entry.uncompressedSize}`);
    if (sum !== entry.crc32) throw fail('its checksum is not the announced one');
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
