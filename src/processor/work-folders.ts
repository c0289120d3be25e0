import { constants } from 'node:fs';
import { access, chmod, lstat, mkdir, mkdtemp, readdir, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { folderNameOf, hasEnded, parseFolderName, thisProcess } from '../base/process-identity.ts';
import { killProcessesIn } from './process-group.ts';

/** The prefix of each folder name; the identity of the process and a random part follow. */
const PREFIX = 'repo-command-';
const RANDOM_PART = /\.\w+$/;
const OWNER_ONLY = 0o700;
/** Removal is retried: a killed process may still write for a moment. */
const REMOVAL_RETRIES = 10;
const RETRY_DELAY_MS = 50;

/** The working folders of commands. */
export interface WorkFolders {
  /** The path prefix of the folders of this process only. */
  readonly prefix: string;
  /** Creates a folder for one run. Rejects with the system error if that fails. */
  create(): Promise<string>;
  /** Removes the folder of a run with its content. */
  remove(folder: string): Promise<void>;
}

/**
 * Removes the folders below `parent` of ended processes of this machine, and kills the commands that still run there.
 * Returns the folders of this process. Throws the system error if `parent` is not writable.
 */
export async function openWorkFolders(parent: string): Promise<WorkFolders> {
  const place = resolve(parent);
  await mkdir(place, { recursive: true });
  await access(place, constants.W_OK);
  await sweep(place);
  const prefix = join(place, `${PREFIX}${folderNameOf(thisProcess())}.`);
  // mkdtemp creates folders that only their owner can open.
  return { prefix, create: () => mkdtemp(prefix), remove: removeFolder };
}

/** Removes folders of ended processes below `parent`. Keeps those of other users, other hosts and running processes. */
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

/** Returns true for a folder of this user. In a shared temporary folder, anyone can create an entry of that name. */
async function isOwnFolder(path: string): Promise<boolean> {
  try {
    const stats = await lstat(path);
    return stats.isDirectory() && (process.getuid === undefined || stats.uid === process.getuid());
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function removeFolder(folder: string): Promise<void> {
  try {
    // Most commands leave their folder empty.
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

/** Makes folders writable: a command such as `tar` can create some that even their owner cannot write to. */
async function makeRemovable(folder: string): Promise<void> {
  try {
    await chmod(folder, OWNER_ONLY);
    for (const entry of await readdir(folder, { withFileTypes: true }))
      if (entry.isDirectory()) await makeRemovable(join(folder, entry.name));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
