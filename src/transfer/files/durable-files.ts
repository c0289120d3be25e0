import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../base/errors.ts';
import { type DigestAlgorithm, type HashedBytes, hashStream } from './hash-stream.ts';
import { PackageError } from './package.ts';
import { shown } from './package-path.ts';

/** Error codes of file systems that cannot flush a folder. */
const NO_FOLDER_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR']);

/** Writes a new file, flushes it to the disk, and returns its digests. */
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

/** Flushes the entries of a folder to the disk. */
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

/** Flushes the entries of a folder and of all folders below it. */
export async function syncFolders(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncFolders(join(path, entry.name));
  }
  await syncFolder(path);
}

/** Creates a folder and its missing parents, durably. */
export async function makeFolders(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Throws PackageError unless the path is a folder, or a link to one. Mistyped folders must not be created. */
export async function requireFolder(path: string): Promise<void> {
  const stats = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  });
  if (!stats?.isDirectory())
    throw new PackageError(`The folder ${shown(path)} does not exist. Create it, or name another.`);
}

/** Returns true if a path exists, even as a broken link. */
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

/** Adds the path to errors of an open file, which lack it. */
async function named(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (codeOf(error) !== undefined) Object.assign(error as Error, { path });
    throw error;
  }
}

/** Writes all bytes. On an almost full disk a write may be partial; the next one then throws the reason. */
async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.byteLength; ) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.byteLength - written);
    if (bytesWritten === 0) throw Object.assign(new Error('the system took no bytes'), { code: 'ENOSPC' });
    written += bytesWritten;
  }
}
