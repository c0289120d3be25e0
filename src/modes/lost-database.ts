import { existsSync, statSync } from 'node:fs';
import { opendir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SECRET_FILE } from '../auth/secret.ts';
import { SIGNING_KEY_FILE } from '../auth/signing-key.ts';
import { codeOf } from '../base/errors.ts';
import { isShard } from '../storage/key.ts';
import { CommandError } from './command-error.ts';
import { KEYS_FOLDER } from './load-keys.ts';
import type { RepositoryConfig } from './repository-config.ts';

/** What a repository has left behind, in words: `keys`, `stored files`; none for a folder that never held one. */
export type Traces = readonly string[];

/**
 * Looks for keys and stored files of a repository. A start that looks here before it looks at the database cannot take for
 * traces what another process makes at the same moment.
 */
export async function findTraces({ dataFolder, schemes }: RepositoryConfig): Promise<Traces> {
  const folder = resolve(dataFolder);
  const hasKeys = [SIGNING_KEY_FILE, SECRET_FILE].some((name) => existsSync(join(folder, KEYS_FOLDER, name)));
  let hasFiles = false;
  for (const scheme of schemes)
    if (scheme.driver === 'local') hasFiles ||= await holdsObjects(resolve(folder, scheme.folder));
  return [...(hasKeys ? ['keys'] : []), ...(hasFiles ? ['stored files'] : [])];
}

/** Whether a local store holds any object. */
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

/** Whether there is content in a database file. */
export function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Why a repository cannot be started as a new one. */
export interface Loss {
  readonly error: CommandError;
  /** Whether a new database must not be made even on demand: the engine would play a log into it, or delete that. */
  readonly isFinal: boolean;
}

/**
 * Returns why the place of a database file is that of a repository that lost its database; undefined for a file with
 * content, and for a place where there has never been one.
 */
export function lossOf(file: string, dataFolder: string, traces: Traces): Loss | undefined {
  // First: with a database comes its log.
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

/** Why a database without tables is no new repository: the data folder holds what belongs to another database. */
export function lossOfTables(where: string, dataFolder: string, traces: Traces): CommandError | undefined {
  return traces.length === 0 ? undefined : lost(tracesWithout(`the database ${where} is empty`, dataFolder, traces));
}

function tracesWithout(problem: string, dataFolder: string, traces: Traces): string {
  return `${resolve(dataFolder)} holds ${traces.join(' and ')} of a repository, but ${problem}.`;
}

function lost(problem: string): CommandError {
  return new CommandError(
    `${problem} Bring the database back, or restore a backup with: repo restore PLACE. ` +
      'To begin a new repository here all the same: repo serve --new-database',
  );
}
