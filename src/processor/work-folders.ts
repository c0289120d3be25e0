import { constants } from 'node:fs';
import { access, chmod, lstat, mkdir, mkdtemp, readdir, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { folderNameOf, hasEnded, parseFolderName, thisProcess } from '../base/process-identity.ts';
import { killProcessesIn } from './processes-in-folder.ts';

/** Begins the name of each folder; the identity of the process and a random part follow. */
const PREFIX = 'repo-command-';
const RANDOM_PART = /\.\w+$/;
const OWNER_ONLY = 0o700;
/** A killed process may still write for a moment, and what it writes makes a removal fail. */
const REMOVAL_RETRIES = 10;
const RETRY_DELAY_MS = 50;

/** The folders that commands work in. */
export interface WorkFolders {
  /** Begins the path of every folder that this process makes, and of no other. */
  readonly prefix: string;
  /** Creates a folder for one run. Rejects with the system error if that is impossible. */
  create(): Promise<string>;
  /** Removes the folder of a run with all that is in it. */
  remove(folder: string): Promise<void>;
}

/**
 * Removes what processes of this machine left below `parent` that have ended, together with the commands that still
 * run there. Returns a place for the folders of this process. Throws the system error for a parent that cannot be
 * written to.
 */
export async function openWorkFolders(parent: string): Promise<WorkFolders> {
  const place = resolve(parent);
  await mkdir(place, { recursive: true });
  await access(place, constants.W_OK);
  await sweep(place);
  const prefix = join(place, `${PREFIX}${folderNameOf(thisProcess())}.`);
  // Only its user may open what mkdtemp makes.
  return { prefix, create: () => mkdtemp(prefix), remove: removeFolder };
}

/** Removes what ended processes left below `parent`. Leaves everything of other users, hosts and living processes. */
async function sweep(parent: string): Promise<void> {
  const self = thisProcess();
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX) || !RANDOM_PART.test(name)) continue;
    const owner = parseFolderName(name.slice(PREFIX.length).replace(RANDOM_PART, ''));
    if (owner === undefined || owner.host !== self.host || !hasEnded(owner, self)) continue;
    const folder = join(parent, name);
    if (!(await isOwnFolder(folder))) continue;
    await killProcessesIn(folder);
    await removeFolder(folder);
  }
}

/** In a shared temporary folder anyone may have made an entry of that name, or removed it by now. */
async function isOwnFolder(path: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    return found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function removeFolder(folder: string): Promise<void> {
  try {
    // Most commands leave nothing behind.
    return await rmdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    if (!['ENOTEMPTY', 'EEXIST', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '')) throw error;
  }
  for (let retries = 0; ; retries += 1) {
    try {
      return await rm(folder, { recursive: true, force: true });
    } catch (error) {
      if (retries === REMOVAL_RETRIES) throw error;
      await Bun.sleep(RETRY_DELAY_MS);
      await makeRemovable(folder);
    }
  }
}

/** A command, `tar` for one, can make folders that even their owner may not write to. */
async function makeRemovable(folder: string): Promise<void> {
  try {
    await chmod(folder, OWNER_ONLY);
    for (const entry of await readdir(folder, { withFileTypes: true }))
      if (entry.isDirectory()) await makeRemovable(join(folder, entry.name));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
