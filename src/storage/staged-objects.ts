import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { hasEnded, type ProcessIdentity, parseFolderName } from '../base/process-identity.ts';
import { onDisk, storageFailed } from './errors.ts';
import { isKeyName, keyOfName } from './key.ts';
import { entryAt, isRealFolder, unlinkIfThere } from './real-folder.ts';
import type { StagedObject, Storage } from './storage.ts';

/** The number of keys in one question. */
const BATCH_KEYS = 500;
/** A process of another host, of which we cannot ask whether it lives, counts as ended after this time. */
const UNTOUCHED_MS = 24 * 3_600_000;

type IsReferred = Parameters<Storage['recover']>[0];
interface Cleared {
  kept: number;
  removed: number;
}
/** A file that a process has left in its folder. */
export interface Staged {
  path: string;
  key: string;
  /** True if it only stands for an object that is elsewhere. */
  isMarker: boolean;
}

export interface RecoverOptions {
  /** One folder for each process, with the names of what it has staged. */
  incoming: string;
  self: ProcessIdentity;
  /** Makes sure that the object of one that a row names is in its place. */
  place(staged: Staged): Promise<void>;
  /** Removes what may be in the place of the object of one that no row names. */
  remove(staged: Staged): Promise<void>;
}

/** Clears up after the processes that have ended (see `Storage.recover`). What `isReferred` throws is thrown as it is. */
export async function recoverStaged(options: RecoverOptions, isReferred: IsReferred): Promise<Cleared> {
  let refusal: { error: unknown } | undefined;
  const ask: IsReferred = (keys) =>
    isReferred(keys).catch((error: unknown) => {
      refusal = { error };
      throw error;
    });
  try {
    return await onDisk('The file store could not be cleared up.', () => clearIncoming(options, ask));
  } catch (error) {
    throw refusal === undefined ? error : refusal.error;
  }
}

async function clearIncoming(options: RecoverOptions, isReferred: IsReferred): Promise<Cleared> {
  const { incoming, self } = options;
  const cleared: Cleared = { kept: 0, removed: 0 };
  if (!(await isRealFolder(incoming))) return cleared;
  for (const entry of await readdir(incoming, { withFileTypes: true })) {
    const path = join(incoming, entry.name);
    const found = await entryAt(path);
    if (found === undefined) continue;
    if (!found.isDirectory()) await unlinkIfThere(path);
    else if (mayClear(parseFolderName(entry.name), self, found.mtimeMs)) {
      await clearFolder(path, options, isReferred, cleared);
    }
  }
  return cleared;
}

function mayClear(owner: ProcessIdentity | undefined, self: ProcessIdentity, touchedMs: number): boolean {
  if (owner?.host === self.host) return hasEnded(owner, self);
  return Date.now() - touchedMs > UNTOUCHED_MS;
}

async function clearFolder(
  folder: string,
  { place, remove }: RecoverOptions,
  isReferred: IsReferred,
  cleared: Cleared,
): Promise<void> {
  const staged: Staged[] = [];
  for (const entry of await readdir(folder)) {
    const path = join(folder, entry);
    const parsed = parseStagedName(entry);
    // What is not ours to begin with, or is a link in our place, is removed and never followed.
    if (parsed === undefined || !(await entryAt(path))?.isFile()) await rm(path, { recursive: true, force: true });
    else staged.push({ path, key: keyOfName(parsed.name), isMarker: parsed.isMarker });
  }
  for (let first = 0; first < staged.length; first += BATCH_KEYS) {
    const batch = staged.slice(first, first + BATCH_KEYS);
    const referred = await isReferred(batch.map(({ key }) => key));
    for (const item of batch) {
      if (referred.has(item.key)) {
        await place(item);
        if (await unlinkIfThere(item.path)) cleared.kept += 1;
      } else {
        // In this order: as long as the staged name is there, an end in between is cleared up later.
        await remove(item);
        if (await unlinkIfThere(item.path)) cleared.removed += 1;
      }
    }
  }
  await removeFolder(folder);
}

async function removeFolder(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    // Another process clears up too, or the owner, on another host, was only slow and goes on.
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
  }
}

/** Behind the name of what only reminds of an object that is in its place already. */
const MARKER_SUFFIX = '.moved';

/** The name of the empty file that stands for a staged object, from the key's name. */
export function markerNameOf(keyName: string): string {
  return `${keyName}${MARKER_SUFFIX}`;
}

/** The key's name in the name of a staged object or of its marker; undefined for any other file. */
function parseStagedName(file: string): { name: string; isMarker: boolean } | undefined {
  const isMarker = file.endsWith(MARKER_SUFFIX);
  const name = isMarker ? file.slice(0, -MARKER_SUFFIX.length) : file;
  return isKeyName(name) ? { name, isMarker } : undefined;
}

/** `keep` and `discard`, of which the first counts: a `discard` after `keep` does nothing. */
export function keepOrDiscard(
  removeAll: () => Promise<void>,
  removeReminder: () => Promise<unknown>,
): Pick<StagedObject, 'keep' | 'discard'> {
  let state: 'staged' | 'kept' | 'discarded' = 'staged';
  return {
    async keep() {
      if (state === 'discarded') {
        throw storageFailed('The file could not be stored.', new Error('the object was discarded before'));
      }
      // Before the reminder goes: a row names the object now, so it stays even if that fails.
      state = 'kept';
      await onDisk('The file could not be stored.', removeReminder);
    },
    async discard() {
      if (state === 'kept') return;
      state = 'discarded';
      await onDisk('The file could not be removed.', removeAll);
    },
  };
}
