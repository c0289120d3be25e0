import { randomBytes } from 'node:crypto';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { quote } from 'shlex';
import { ownVariables } from '../base/env.ts';
import { CommandError } from '../base/errors.ts';
import { ownCommand } from '../base/process-identity.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import { unpackLibraryInto } from '../database/native-library.ts';
import { KEYS_FOLDER } from './load-keys.ts';
import { databaseFileOf } from './open-database.ts';

const ROOT = 0;

/**
 * Prepares the use of the data folder of a configuration. Call it before anything in the folder is opened. Throws CommandError
 * if the data belongs to another user than that of this process.
 */
export function enterDataFolder(config: RepositoryConfig): void {
  requireOwner(config, process.geteuid?.());
  unpackLibraryInto(resolve(config.dataFolder));
}

/**
 * Requires that `user`, the id of the effective user, owns the data: files that another one creates would be unreadable to the
 * server. Throws CommandError. Windows has no such ids: undefined. `newFiles` returns the owner of a new file in a folder.
 */
export function requireOwner(config: RepositoryConfig, user: number | undefined, newFiles = ownerOfNewFiles): void {
  if (user === undefined) return;
  const folder = resolve(config.dataFolder);
  const owned = ownedPath(config, folder);
  if (owned === undefined || owned.uid === user) return;
  // The volume of a container often belongs to root, and the program in it is another user.
  if (owned.path === folder && owned.uid === ROOT) return;
  if (newFiles(folder) === owned.uid) return;
  const name = nameOfUser(owned.uid);
  const inContainer = name === undefined ? ` (in a container: --user ${owned.uid})` : '';
  throw new CommandError(
    `${owned.path} belongs to ${name ?? `the user ${owned.uid}`}, and this command runs as ${nameOfUser(user) ?? `the user ${user}`}, ` +
      `whose files that user could not use; run it as the owner: ${commandAs(name ?? `#${owned.uid}`)}${inContainer}`,
  );
}

/** Returns what shows the owner of the data: the database, the keys, or else the folder; undefined for a missing folder. */
function ownedPath(config: RepositoryConfig, folder: string): { path: string; uid: number } | undefined {
  for (const path of [databaseFileOf(config), join(folder, KEYS_FOLDER), folder]) {
    const uid = path && ownerOf(path);
    if (typeof uid === 'number') return { path: String(path), uid };
  }
  return undefined;
}

/** Returns the user id of a file or folder; undefined for a missing one, or one in a folder that this user may not open. */
function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    // What cannot be read is reported when it is opened.
    return undefined;
  }
}

/**
 * Returns the owner of a file that this process creates in a folder: a network or container file system may give all files to
 * one user. Undefined if it may create none. Removes the file.
 */
function ownerOfNewFiles(folder: string): number | undefined {
  const file = join(folder, `.owner-${randomBytes(6).toString('hex')}`);
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
    return ownerOf(file);
  } catch {
    return undefined;
  } finally {
    rmSync(file, { force: true });
  }
}

/** Returns the name of a user by its id, from whatever directory the system uses; undefined if it has none. */
function nameOfUser(uid: number): string | undefined {
  const id = Bun.which('id');
  if (id === null) return undefined;
  const { success, stdout } = Bun.spawnSync([id, '-nu', String(uid)], { stdout: 'pipe', stderr: 'ignore' });
  const name = stdout.toString().trim();
  return success && name !== '' ? name : undefined;
}

/** Returns this command line as another user. sudo removes the variables of this program unless they are named. */
function commandAs(user: string): string {
  const variables = ownVariables();
  const kept = variables.length === 0 ? [] : [`--preserve-env=${variables.join(',')}`];
  const [program, ...words] = ownCommand();
  const name = basename(program);
  return ['sudo', '-u', user, ...kept, Bun.which(name) === program ? name : program, ...words].map(quote).join(' ');
}
