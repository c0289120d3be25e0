import { closeSync, fsync, lstatSync, openSync, type Stats, constants as systemConstants } from 'node:fs';
import { type FileHandle, mkdir, open, realpath, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../base/errors.ts';
import { SharedRuns } from '../base/shared-runs.ts';

/** Files of a store are for its owner and group only. */
const FILE_MODE = 0o640;
const FOLDER_MODE = 0o750;
/** The errors of file systems that cannot flush a folder; they order such changes themselves or not at all. */
const NO_FOLDER_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR']);

const flush = promisify(fsync);

/**
 * What is at a path itself, links not followed; undefined if there is nothing. Not handed to another thread: that takes
 * twenty times as long as the look, and the database beside it is read in the same way.
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

/** Makes a missing folder, so that a power cut does not undo it. */
export async function ensureFolder(path: string): Promise<void> {
  if (await isRealFolder(path)) return;
  try {
    await mkdir(path, { mode: FOLDER_MODE });
  } catch (error) {
    // Another process was faster. What it made must still be a folder.
    if (codeOf(error) !== 'EEXIST') throw error;
    await isRealFolder(path);
  }
  await syncFolder(dirname(path));
}

/** Makes a folder and those above it, if they are missing, so that a power cut does not undo any. */
export async function ensureFolders(path: string): Promise<void> {
  const whole = resolve(path);
  const first = await mkdir(whole, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  for (let made = whole; made.length >= first.length; made = dirname(made)) {
    // The one above may be a link; it is the folder behind it that holds the new name.
    await syncFolder(await realpath(dirname(made)));
    if (dirname(made) === made) return;
  }
}

/** Creates a file and opens it for writing. Rejects if it exists. */
export function createFile(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = systemConstants;
  // O_NOFOLLOW is not known to every system; O_EXCL alone does not follow a link either.
  return open(path, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), FILE_MODE);
}

/** The flushes under way, by folder. */
const flushes = new Map<string, SharedRuns>();

/**
 * Makes the names in a folder durable: a flushed file without its name would be lost all the same. Those who ask while
 * it is being flushed share the next flush, as this one may not know their names.
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

/** Removes a file, or a link itself. Answers false if there was none. */
export async function unlinkIfThere(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
