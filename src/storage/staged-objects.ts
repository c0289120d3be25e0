import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { hasEnded, type ProcessIdentity, parseFolderName } from '../base/process-identity.ts';
import { onDisk, storageFailed } from './errors.ts';
import { isKeyName, keyOfName } from './key.ts';
import { entryAt, isRealFolder, unlinkIfThere } from './real-folder.ts';
import type { StagedObject, Storage } from './storage.ts';

/** Number of keys per query. */
const BATCH_KEYS = 500;
/** A process of another host, whose state is unknown, counts as ended after this time without a sign of life. */
const UNTOUCHED_MS = 24 * 3_600_000;

type IsReferred = Parameters<Storage['recover']>[0];
interface ClearResult {
  kept: number;
  removed: number;
}
/** A file that a process has left in its folder. */
export interface StagedFile {
  path: string;
  key: string;
  /** True for a marker of an object that is already in its place. */
  isMarker: boolean;
}

export interface RecoverOptions {
  /** Holds one folder per process with the names of its staged objects. */
  incoming: string;
  self: ProcessIdentity;
  /** Moves an object that a row names to its place, if it is missing. */
  place(staged: StagedFile): Promise<void>;
  /** Removes an object that no row names from its place. */
  remove(staged: StagedFile): Promise<void>;
}

/** Cleans up after ended processes (see `Storage.recover`). Passes errors of `isReferred` on. */
export async function recoverStaged(options: RecoverOptions, isReferred: IsReferred): Promise<ClearResult> {
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

async function clearIncoming(options: RecoverOptions, isReferred: IsReferred): Promise<ClearResult> {
  const { incoming, self } = options;
  const cleared: ClearResult = { kept: 0, removed: 0 };
  if (!(await isRealFolder(incoming))) return cleared;
  for (const entry of await readdir(incoming, { withFileTypes: true })) {
    const path = join(incoming, entry.name);
    const stats = await entryAt(path);
    if (stats === undefined) continue;
    if (!stats.isDirectory()) await unlinkIfThere(path);
    else if (mayClear(parseFolderName(entry.name), self, stats.mtimeMs)) {
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
  cleared: ClearResult,
): Promise<void> {
  const staged: StagedFile[] = [];
  for (const entry of await readdir(folder)) {
    const path = join(folder, entry);
    const parsed = parseStagedName(entry);
    // Removes foreign files, and links without following them.
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
        // In this order: as long as the staged name exists, the next start completes an interrupted removal.
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
    // Another process cleans up too, or the owner on another host still runs.
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
  }
}

/** The suffix of a marker. */
const MARKER_SUFFIX = '.moved';

/** Returns the name of the marker of a staged object, an empty file, from the key's name. */
export function markerNameOf(keyName: string): string {
  return `${keyName}${MARKER_SUFFIX}`;
}

/** Returns the key's name from the name of a staged object or marker; undefined for any other file. */
function parseStagedName(file: string): { name: string; isMarker: boolean } | undefined {
  const isMarker = file.endsWith(MARKER_SUFFIX);
  const name = isMarker ? file.slice(0, -MARKER_SUFFIX.length) : file;
  return isKeyName(name) ? { name, isMarker } : undefined;
}

/** Returns `keep` and `discard` of a staged object. The first call counts: `discard` after `keep` does nothing. */
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
      // Before the staged name is removed: a row names the object, which stays even if the removal fails.
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
