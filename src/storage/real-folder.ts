import { closeSync, fsync, lstatSync, openSync, type Stats, constants as systemConstants } from 'node:fs';
import { type FileHandle, mkdir, open, realpath, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../base/errors.ts';
import { SharedRuns } from '../base/shared-runs.ts';

/** Files of a store are for its owner and group only. */
const FILE_MODE = 0o640;
const FOLDER_MODE = 0o750;
/** Error codes of file systems that cannot flush a folder. */
const NO_FOLDER_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR']);

const flush = promisify(fsync);

/**
 * Returns the file, folder or link at a path, without following links; undefined for none. Synchronous: another thread
 * would take twenty times as long.
 */
export async function entryAt(path: string): Promise<Stats | undefined> {
  try {
    return lstatSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Returns true if a folder exists at a path. Throws for anything else in its place, a link to a folder too. */
export async function isRealFolder(path: string): Promise<boolean> {
  const entry = await entryAt(path);
  if (entry !== undefined && !entry.isDirectory()) throw new Error(`${path} is not a folder`);
  return entry !== undefined;
}

/** Creates a missing folder durably. */
export async function ensureFolder(path: string): Promise<void> {
  if (await isRealFolder(path)) return;
  try {
    await mkdir(path, { mode: FOLDER_MODE });
  } catch (error) {
    // Another process has created it, possibly not as a folder.
    if (codeOf(error) !== 'EEXIST') throw error;
    await isRealFolder(path);
  }
  await syncFolder(dirname(path));
}

/** Creates a folder and its missing parents durably. */
export async function ensureFolders(path: string): Promise<void> {
  const whole = resolve(path);
  const first = await mkdir(whole, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  for (let made = whole; made.length >= first.length; made = dirname(made)) {
    // The parent may be a link: its target holds the new name.
    await syncFolder(await realpath(dirname(made)));
    if (dirname(made) === made) return;
  }
}

/** Creates a file and opens it for writing. Rejects if it exists. */
export function createFile(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = systemConstants;
  // Some systems lack O_NOFOLLOW; O_EXCL alone does not follow a link either.
  return open(path, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), FILE_MODE);
}

/** The running flushes by folder. */
const flushes = new Map<string, SharedRuns>();

/**
 * Makes the names in a folder durable: a flushed file without its name would be lost. Callers during a flush share the
 * next one, since the current one may not include their names.
 */
export function syncFolder(path: string): Promise<void> {
  const known = flushes.get(path);
  if (known !== undefined) return known.ask();
  const runs = new SharedRuns(() => flushFolder(path));
  flushes.set(path, runs);
  const flushed = runs.ask();
  void runs.idle().then(() => flushes.delete(path));
  return flushed;
}

async function flushFolder(path: string): Promise<void> {
  // Windows opens no folder; NTFS keeps a journal of names.
  if (process.platform === 'win32') return;
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = systemConstants;
  const folder = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await flush(folder);
  } catch (error) {
    if (!NO_FOLDER_SYNC.has(codeOf(error) ?? '')) throw error;
  } finally {
    closeSync(folder);
  }
}

/** Removes a file or a link. Returns false if there is none. */
export async function unlinkIfThere(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
