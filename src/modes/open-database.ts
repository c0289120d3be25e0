import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RESTORING_TABLE } from '../backup/install-server.ts';
import type { Log } from '../base/log.ts';
import type { Database } from '../database/database.ts';
import { migrate, pendingMigrations } from '../database/migrate.ts';
import { migrations } from '../database/migrations.ts';
import { type DatabasePlace, databaseFileOfUrl, openDatabase } from '../database/open-database.ts';
import { CommandError } from './command-error.ts';
import type { RepositoryConfig } from './repository-config.ts';

const DATABASE_FILE = 'repository.db';
/** A command that comes and goes takes less memory than a server that stays; a large import is no slower for it. */
const CACHE_OF_COMMANDS_KIB = 8 * 1024;

/** A configuration for one of several workers, each of which has a replica to itself: nobody else may use that file. */
export function withOwnReplica(config: RepositoryConfig, worker: number): RepositoryConfig {
  const file = config.database.syncUrl === undefined ? undefined : databaseFileOf(config);
  if (file === undefined) return config;
  return { ...config, database: { ...config.database, url: pathToFileURL(`${file}.worker-${worker}`).href } };
}

/** A configuration for whoever works beside the servers, whose replicas are not theirs to open. */
export function atServer<Config extends RepositoryConfig>(config: Config): Config {
  const { syncUrl } = config.database;
  if (syncUrl === undefined) return config;
  return { ...config, database: { ...config.database, url: syncUrl, syncUrl: undefined } };
}

/** The file of the database, or of its replica; undefined for one on a server alone. */
export function databaseFileOf({ dataFolder, database: { url, syncUrl } }: RepositoryConfig): string | undefined {
  if (url !== undefined && syncUrl === undefined && !/^file:/i.test(url)) return undefined;
  return databaseFileOfUrl(url) ?? join(resolve(dataFolder), DATABASE_FILE);
}

/** The database of a configuration as it is. Throws UnusableDatabaseError. */
export function openConfigured(
  config: RepositoryConfig,
  cache: Pick<DatabasePlace, 'cacheKib'> = {},
): Promise<Database> {
  const { url, authToken, syncUrl } = config.database;
  return openDatabase({ file: databaseFileOf(config), url, authToken, syncUrl, ...cache });
}

/**
 * The database of a configuration, made or brought up to date. One that servers share is changed only by the first of
 * them, which finds it empty, or with `migratesShared`: the others may be of the older version still. Throws
 * UnusableDatabaseError, NewerDatabaseError, and CommandError for a shared one that is older.
 */
export async function openMigrated(config: RepositoryConfig, log: Log, migratesShared: boolean): Promise<Database> {
  const database = await openConfigured(config);
  try {
    await requireWhole(database);
    if (database.isShared && !migratesShared) await requireCurrent(database);
    const applied = await migrate(database.client, Math.floor(Date.now() / 1000));
    if (applied.length > 0) log.info({ migrations: applied }, 'the database is up to date');
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Half of a backup is no repository. */
async function requireWhole({ client }: Database): Promise<void> {
  const { rows } = await client.execute({ sql: 'SELECT 1 FROM sqlite_master WHERE name = ?', args: [RESTORING_TABLE] });
  if (rows.length > 0)
    throw new CommandError(
      'A restore into this database was broken off. Run the same repo restore again: it begins anew.',
    );
}

async function requireCurrent({ client }: Database): Promise<void> {
  const pending = await pendingMigrations(client);
  if (pending.length === 0 || pending.length === migrations.length) return;
  throw new CommandError(
    'The database is that of an older version of repo, and servers share it. Stop all of them, make a backup, and run: repo migrate',
  );
}

/** A mistyped folder or address must not become a repository. Throws CommandError. */
export async function openExisting(config: RepositoryConfig): Promise<Database> {
  requireFile(config);
  const database = await openConfigured(atServer(config), { cacheKib: CACHE_OF_COMMANDS_KIB });
  try {
    await requireWhole(database);
    const pending = await pendingMigrations(database.client);
    if (pending.length === migrations.length)
      throw new CommandError('There is no repository in this database: make one with repo serve, or name another one.');
    if (pending.length > 0)
      throw new CommandError(
        'The database is that of an older version of repo. Bring it up to date with: repo migrate',
      );
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Throws CommandError where the database is a file that is not there. */
export function requireFile(config: RepositoryConfig): void {
  const file = databaseFileOf(config);
  if (file === undefined || config.database.syncUrl !== undefined || existsSync(file)) return;
  throw new CommandError(
    `There is no repository in ${resolve(config.dataFolder)}: name its folder with --data or REPO_DATA, or make one with: repo serve`,
  );
}
