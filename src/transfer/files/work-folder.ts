import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { folderNameOf, hasEnded, parseFolderName, thisProcess } from '../../base/process-identity.ts';
import { isThere, makeFolders, syncFolder, syncFolders } from './durable-files.ts';
import { PackageError } from './package.ts';
import { shown } from './package-path.ts';

/** The prefix of the names of incomplete folders. The name of the writing process follows it. */
const PREFIX = '.incomplete-';
const PART = /^(.*)\.\d+$/;

let made = 0;

/**
 * Creates a folder completely or not at all: `build` fills a folder beside it, which is renamed once all of it is on the
 * disk. Throws PackageError if the target exists.
 */
export async function buildFolder<T>(target: string, build: (folder: string) => Promise<T>): Promise<T> {
  const whole = resolve(target);
  await requireFree(whole);
  await makeFolders(dirname(whole));
  return withWorkFolder(dirname(whole), async (folder) => {
    const result = await build(folder);
    await placeFolder(folder, whole);
    return result;
  });
}

/** Renames a complete folder to its target. Throws PackageError if the target exists. */
export async function placeFolder(folder: string, target: string): Promise<void> {
  await syncFolders(folder);
  await requireFree(target);
  await rename(folder, target);
  await syncFolder(dirname(target));
}

/** Calls `work` with a new folder in an existing parent, and then removes the folder. */
export async function withWorkFolder<T>(parent: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(parent, `${PREFIX}${folderNameOf(thisProcess())}.${++made}`);
  await mkdir(folder).catch((error) => {
    // Users know the parent folder, and not the temporary one.
    throw Object.assign(error, { path: parent });
  });
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes incomplete folders that ended processes of this machine have left in a folder. */
export async function clearUnfinished(parent: string): Promise<void> {
  if (!(await isThere(parent))) return;
  const self = thisProcess();
  for (const name of await readdir(parent)) {
    const part = name.startsWith(PREFIX) ? PART.exec(name.slice(PREFIX.length))?.[1] : undefined;
    const owner = part === undefined ? undefined : parseFolderName(part);
    if (owner === undefined || owner.host !== self.host || !hasEnded(owner, self)) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
}

async function requireFree(target: string): Promise<void> {
  if (!(await isThere(target))) return;
  throw new PackageError(`${shown(target)} exists. Remove ${shown(basename(target))}, or name another folder.`);
}
