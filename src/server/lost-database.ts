import { existsSync, statSync } from 'node:fs';
import { opendir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SECRET_FILE } from '../auth/secret.ts';
import { SIGNING_KEY_FILE } from '../auth/signing-key.ts';
import { CommandError, codeOf } from '../base/errors.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import { isShard } from '../storage/key.ts';
import { KEYS_FOLDER } from './load-keys.ts';

/** The kinds of data of a repository in a data folder, as `keys` or `stored files`; empty for an unused folder. */
type Traces = readonly string[];

/**
 * Finds keys and stored files of a repository. Call it before checking the database, so that data of a repository that
 * another process creates at the same time is not mistaken for traces.
 */
export async function findTraces({ dataFolder, schemes }: RepositoryConfig): Promise<Traces> {
  const folder = resolve(dataFolder);
  const hasKeys = [SIGNING_KEY_FILE, SECRET_FILE].some((name) => existsSync(join(folder, KEYS_FOLDER, name)));
  let hasFiles = false;
  for (const scheme of schemes)
    if (scheme.driver === 'local') hasFiles ||= await holdsObjects(resolve(folder, scheme.folder));
  return [...(hasKeys ? ['keys'] : []), ...(hasFiles ? ['stored files'] : [])];
}

/** Returns true if a local store holds any object. */
async function holdsObjects(store: string): Promise<boolean> {
  for (const shard of await shardsIn(store)) {
    const objects = await opendir(join(store, shard));
    const first = await objects.read();
    await objects.close();
    if (first !== null) return true;
  }
  return false;
}

async function shardsIn(store: string): Promise<string[]> {
  try {
    const entries = await readdir(store, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && isShard(entry.name)).map(({ name }) => name);
  } catch (error) {
    // Any other problem with the folder is reported when the store is opened.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Returns true if a database file exists and is not empty. */
export function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** The reason why a repository cannot be started as a new one. */
interface Loss {
  readonly error: CommandError;
  /** True if even --new-database must not create one: the engine would replay the old log into it, or delete it. */
  readonly isFinal: boolean;
}

/**
 * Returns the reason if a repository has lost its database file. Undefined for a file with content, and for a data
 * folder that never had a database.
 */
export function lossOf(file: string, dataFolder: string, traces: Traces): Loss | undefined {
  // Checks the log first: another process may be creating the database, and then its log.
  const log = [`${file}-wal`, `${file}-journal`].find(hasContent);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > 0) return undefined;
  const problem =
    size === 0 ? `The database ${file} has no content: it is 0 bytes long.` : `There is no database ${file}.`;
  if (log !== undefined && (size === undefined || log.endsWith('-wal')))
    return {
      error: new CommandError(
        `${problem} Its log of writes is there, ${log}: bring the database back that it belongs to, or move it away.`,
      ),
      isFinal: true,
    };
  if (size === 0) return { error: lost(problem), isFinal: false };
  if (traces.length === 0) return undefined;
  return { error: lost(tracesWithout(`there is no database ${file}`, dataFolder, traces)), isFinal: false };
}

/** Returns the error for a database without tables whose data folder holds data of another database. */
export function lossOfTables(where: string, dataFolder: string, traces: Traces): CommandError | undefined {
  return traces.length === 0 ? undefined : lost(tracesWithout(`the database ${where} is empty`, dataFolder, traces));
}

function tracesWithout(problem: string, dataFolder: string, traces: Traces): string {
  return `${resolve(dataFolder)} holds ${traces.join(' and ')} of a repository, but ${problem}.`;
}

function lost(problem: string): CommandError {
  return new CommandError(
    `${problem} Bring the database back, or restore a backup with: repo restore PLACE. ` +
      'To start a new repository here all the same: repo serve --new-database',
  );
}
