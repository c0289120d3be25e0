import { link, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { hasEnded, type ProcessIdentity, parseFolderName } from '../base/process-identity.ts';
import { onDisk } from './errors.ts';
import { keyOfName } from './key.ts';
import { type LocalLayout, parseStagedName } from './local-layout.ts';
import { ensureFolder, entryAt, isRealFolder, syncFolder, unlinkIfThere } from './real-folder.ts';
import type { Storage } from './storage.ts';

/** How many keys are asked about at once. */
const BATCH_KEYS = 500;
/** A process of another host, of which we cannot ask whether it lives, counts as ended after this time. */
const UNTOUCHED_MS = 24 * 3_600_000;

type IsReferred = Parameters<Storage['recover']>[0];
interface Cleared {
  kept: number;
  removed: number;
}
interface Staged {
  path: string;
  key: string;
  isMarker: boolean;
}

/** Clears up after the processes that have ended (see `Storage.recover`). What `isReferred` throws is thrown as it is. */
export async function recoverStaged(
  layout: LocalLayout,
  self: ProcessIdentity,
  isReferred: IsReferred,
): Promise<Cleared> {
  let refusal: { error: unknown } | undefined;
  const ask: IsReferred = (keys) =>
    isReferred(keys).catch((error: unknown) => {
      refusal = { error };
      throw error;
    });
  try {
    return await onDisk('The file store could not be cleared up.', () => clearIncoming(layout, self, ask));
  } catch (error) {
    throw refusal === undefined ? error : refusal.error;
  }
}

async function clearIncoming(layout: LocalLayout, self: ProcessIdentity, isReferred: IsReferred): Promise<Cleared> {
  const cleared: Cleared = { kept: 0, removed: 0 };
  if (!(await isRealFolder(layout.incoming))) return cleared;
  for (const entry of await readdir(layout.incoming, { withFileTypes: true })) {
    const path = join(layout.incoming, entry.name);
    const found = await entryAt(path);
    if (found === undefined) continue;
    if (!found.isDirectory()) await unlinkIfThere(path);
    else if (mayClear(parseFolderName(entry.name), self, found.mtimeMs)) {
      await clearFolder(path, layout, isReferred, cleared);
    }
  }
  return cleared;
}

function mayClear(owner: ProcessIdentity | undefined, self: ProcessIdentity, touchedMs: number): boolean {
  if (owner?.host === self.host) return hasEnded(owner, self);
  return Date.now() - touchedMs > UNTOUCHED_MS;
}

async function clearFolder(folder: string, layout: LocalLayout, isReferred: IsReferred, cleared: Cleared) {
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
        await ensurePlaced(item, layout);
        if (await unlinkIfThere(item.path)) cleared.kept += 1;
      } else {
        // In this order: as long as the staged name is there, an end in between is cleared up later.
        if (await isRealFolder(layout.shardOf(item.key))) await unlinkIfThere(layout.objectAt(item.key));
        if (await unlinkIfThere(item.path)) cleared.removed += 1;
      }
    }
  }
  await removeFolder(folder);
}

/** The staged name may be all that a damaged file system has left of a file that a row names. */
async function ensurePlaced({ path, key, isMarker }: Staged, layout: LocalLayout): Promise<void> {
  const target = layout.objectAt(key);
  const shard = layout.shardOf(key);
  if (isMarker || ((await isRealFolder(shard)) && (await entryAt(target)) !== undefined)) return;
  await ensureFolder(shard);
  await link(path, target);
  await syncFolder(shard);
}

async function removeFolder(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    // Another process clears up too, or the owner, on another host, was only slow and goes on.
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
  }
}
