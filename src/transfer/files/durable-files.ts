import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../base/errors.ts';
import { type DigestAlgorithm, type HashedBytes, hashStream } from './hash-stream.ts';
import { PackageError } from './package.ts';
import { shown } from './package-path.ts';

/** What file systems say that cannot flush a folder; they order such changes by themselves or not at all. */
const NO_FOLDER_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR']);

/** Writes a new file, flushed to the disk when this resolves, and hashes it on the way. */
export async function writeFileDurably(
  path: string,
  source: AsyncIterable<Uint8Array> | string,
  algorithms: Iterable<DigestAlgorithm> = [],
): Promise<HashedBytes> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
  try {
    const bytes = typeof source === 'string' ? once(Buffer.from(source)) : source;
    const hashed = await hashStream(bytes, algorithms, (chunk) => named(path, () => writeAll(handle, chunk)));
    await named(path, () => handle.sync());
    return hashed;
  } finally {
    await handle.close();
  }
}

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } catch (error) {
    if (!NO_FOLDER_SYNC.has(codeOf(error) ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

/** As `syncFolder`, for all folders below one as well. */
export async function syncFolders(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncFolders(join(path, entry.name));
  }
  await syncFolder(path);
}

/** Makes a folder and those above it that are missing, durably. */
export async function makeFolders(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Throws PackageError unless the path is a folder: a mistyped one must not be created. */
export async function requireFolder(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  });
  if (!found?.isDirectory())
    throw new PackageError(`There is no folder ${shown(path)}: make it first, or name another.`);
}

/** Whether there is anything at a path, a link that leads nowhere too. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** What the system says of an open file does not tell which. */
async function named(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (codeOf(error) !== undefined) Object.assign(error as Error, { path });
    throw error;
  }
}

/** A write may take less than it was given, near the end of the room; the next one says why. */
async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.byteLength; ) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.byteLength - written);
    if (bytesWritten === 0) throw Object.assign(new Error('the system took no bytes'), { code: 'ENOSPC' });
    written += bytesWritten;
  }
}
