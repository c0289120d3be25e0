import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { folderNameOf, hasEnded, parseFolderName, thisProcess } from '../../base/process-identity.ts';
import { isThere, makeFolders, syncFolder, syncFolders } from './durable-files.ts';
import { PackageError } from './package.ts';
import { shown } from './package-path.ts';

/** So begin the names of folders that are not whole yet; behind it, the process that is at it. */
const PREFIX = '.incomplete-';
const PART = /^(.*)\.\d+$/;

let made = 0;

/**
 * Makes a folder that is there whole or not at all: `build` fills another one beside it, which gets the name when all of
 * it is on the disk. Throws PackageError if there is something of that name.
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

/** Gives a folder that is complete its name. Throws PackageError if there is something of that name. */
export async function placeFolder(folder: string, target: string): Promise<void> {
  await syncFolders(folder);
  await requireFree(target);
  await rename(folder, target);
  await syncFolder(dirname(target));
}

/** Does something with a new folder within another, and removes what is left of it. Its parent must be there. */
export async function withWorkFolder<T>(parent: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(parent, `${PREFIX}${folderNameOf(thisProcess())}.${++made}`);
  await mkdir(folder).catch((error) => {
    // Whoever reads of it knows the folder that is written to.
    throw Object.assign(error, { path: parent });
  });
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes from a folder what processes of this machine have left unfinished that have ended. */
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
  throw new PackageError(
    `${shown(target)} is there already, and nothing is written over: remove ${shown(basename(target))}, or name another folder.`,
  );
}
