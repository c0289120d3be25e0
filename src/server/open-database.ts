import { statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommandError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { nowSeconds } from '../base/now-seconds.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import { isDamaged, isDamagedIndex, messageOfDamage } from '../database/damage.ts';
import { describeDamagedText } from '../database/damaged-text.ts';
import type { Database } from '../database/database.ts';
import { UnusableDatabaseError } from '../database/errors.ts';
import type { ConnectionSizes } from '../database/local/local-connection.ts';
import { migrate, migrations, pendingMigrations } from '../database/migrate.ts';
import { databaseFileOfUrl, openDatabase, type ReaderPlace } from '../database/remote/open-database.ts';
import { findTable } from '../database/sqlite-tables.ts';
import { RESTORING_TABLE } from '../upkeep/backup/install-server.ts';
import { createDatabaseFile } from './create-database-file.ts';
import { findTraces, hasContent, lossOf, lossOfTables } from './lost-database.ts';

const DATABASE_FILE = 'repository.db';
/** The cache of a command, smaller than that of a server; a large import is no slower. */
const CACHE_OF_COMMANDS_KIB = 8 * 1024;
/**
 * The log of a command, which is larger than that of a server: an import changes the same pages of indexes again and again, and
 * each copy of the log into the file writes them.
 */
const MIN_LOG_KIB = 16 * 1024;
const MAX_LOG_KIB = 256 * 1024;
/** The log has at most this share of the free disk, since it is written beside the file. */
const LOG_SHARE = 1 / 64;
/** The cache of a thread of searches, which reads large parts of the index again and again. */
const CACHE_OF_READERS_KIB = 32 * 1024;

/** Returns the configuration of a worker with a replica of its own: processes cannot share the file of a replica. */
export function withOwnReplica(config: RepositoryConfig, worker: number): RepositoryConfig {
  const file = config.database.syncUrl === undefined ? undefined : databaseFileOf(config);
  if (file === undefined) return config;
  return { ...config, database: { ...config.database, url: pathToFileURL(`${file}.worker-${worker}`).href } };
}

/** Returns the configuration of a command, which uses the database server instead of the replica of a running server. */
export function atServer<Config extends RepositoryConfig>(config: Config): Config {
  const { syncUrl } = config.database;
  if (syncUrl === undefined) return config;
  return { ...config, database: { ...config.database, url: syncUrl, syncUrl: undefined } };
}

/** Returns the file of the database or of its replica; undefined for a database on a server without replica. */
export function databaseFileOf({ dataFolder, database: { url, syncUrl } }: RepositoryConfig): string | undefined {
  if (url !== undefined && syncUrl === undefined && !/^file:/i.test(url)) return undefined;
  return databaseFileOfUrl(url) ?? join(resolve(dataFolder), DATABASE_FILE);
}

/** Opens the database of a configuration without migrating it. Throws UnusableDatabaseError. */
export function openConfigured(config: RepositoryConfig, sizes: ConnectionSizes = {}): Promise<Database> {
  const { url, authToken, syncUrl } = config.database;
  return openDatabase({ file: databaseFileOf(config), url, authToken, syncUrl, ...sizes });
}

/** Returns the place of the database for a thread of a process that has it open. */
export function placeOfReader(config: RepositoryConfig): ReaderPlace {
  const { url, authToken, syncUrl } = config.database;
  const dataFolder = resolve(config.dataFolder);
  return { file: databaseFileOf(config), url, authToken, syncUrl, cacheKib: CACHE_OF_READERS_KIB, dataFolder };
}

export interface MigrateOptions {
  /** True to migrate also a database that servers share. */
  readonly migratesShared?: boolean | undefined;
  /** True to create a new database if the data folder holds data of a repository that has none. */
  readonly startsNew?: boolean | undefined;
}

/**
 * Opens the database of a configuration; creates or migrates it first. Migrates a database that servers share only if it
 * is empty, or with `migratesShared`: other servers may still be of the older version. Throws UnusableDatabaseError,
 * NewerDatabaseError, and CommandError for an older shared database and for a repository that has lost its database.
 */
export async function openMigrated(
  config: RepositoryConfig,
  log: Log,
  options: MigrateOptions = {},
): Promise<Database> {
  const { migratesShared = false, startsNew = false } = options;
  const { dataFolder } = config;
  // Before checking the database: see `findTraces`.
  const traces = await findTraces(config);
  const file = fileToKeep(config);
  if (file !== undefined && !hasContent(file)) {
    const loss = lossOf(file, dataFolder, traces);
    if (loss && (loss.isFinal || !startsNew)) throw loss.error;
    if (loss)
      log.warn({ kept: traces }, 'starting a new repository; the data of an earlier one in this folder is kept');
  }
  if (file !== undefined) await createDatabaseFile(file);
  const database = await openConfigured(config);
  try {
    await explainDamage(config, async () => {
      await requireWhole(database);
      const pending = await pendingMigrations(database.client);
      const loss = pending.length === migrations.length ? lossOfTables(placeOf(config), dataFolder, traces) : undefined;
      if (loss && !startsNew) throw loss;
      if (startsNew && pending.length < migrations.length)
        log.warn('--new-database has no effect: there is a repository; start without it from now on');
      if (database.isShared && !migratesShared) requireCurrent(pending);
      const applied = await migrate(database.client, nowSeconds());
      if (applied.length > 0) log.info({ migrations: applied }, 'the database is up to date');
    });
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Returns the file of a database that has no other copy; undefined for a replica and for a database on a server. */
function fileToKeep(config: RepositoryConfig): string | undefined {
  return config.database.syncUrl === undefined ? databaseFileOf(config) : undefined;
}

/** Returns the file or address of a database, for messages. */
function placeOf(config: RepositoryConfig): string {
  const { url, syncUrl } = config.database;
  return fileToKeep(config) ?? syncUrl ?? url ?? '';
}

/** Returns the advice for a damaged database, or for one whose search index alone is damaged. */
export function helpForDamage(error: unknown): string {
  if (isDamagedIndex(error)) return 'Build the search index again with: repo search reindex';
  return 'See how far with: repo storage verify --database. Restore a backup into a new data folder with: repo restore';
}

/** Logs each damaged text that is read from a database, once, with the way to repair it. */
export function logDamagedTexts(database: Database, log: Log): void {
  database.damages.listen((damaged) =>
    log.error({ table: damaged.table, column: damaged.column, id: damaged.id }, describeDamagedText(damaged)),
  );
}

/** Runs `work` with a database. Throws UnusableDatabaseError, with file and advice, if the database is damaged. */
export async function explainDamage<T>(config: RepositoryConfig, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDamaged(error)) throw error;
    throw new UnusableDatabaseError(
      `The database ${placeOf(config)} is damaged: ${messageOfDamage(error)}. ${helpForDamage(error)}.`,
      { cause: error },
    );
  }
}

/** Throws CommandError for a database whose restore was interrupted. */
async function requireWhole(database: Database): Promise<void> {
  if ((await database.get(findTable({ name: RESTORING_TABLE }))) !== undefined)
    throw new CommandError(
      'A restore into this database was interrupted. Run the same repo restore again: it starts from the beginning.',
    );
}

function requireCurrent(pending: readonly string[]): void {
  if (pending.length === 0 || pending.length === migrations.length) return;
  throw new CommandError(
    'Servers share this database, which is of an older version of repo. Stop all of them, make a backup, and run: repo migrate',
  );
}

/** Opens the database of an existing, migrated repository. Throws CommandError, also for a mistyped folder or address. */
export async function openExisting(config: RepositoryConfig): Promise<Database> {
  const database = await openForCommand(config);
  try {
    await explainDamage(config, () => requireCurrentRepository(database));
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens a repository's database without migrating it. Throws CommandError if missing, and UnusableDatabaseError. */
export async function openForCommand(config: RepositoryConfig): Promise<Database> {
  await requireFile(config);
  return openConfigured(atServer(config), { cacheKib: CACHE_OF_COMMANDS_KIB, logKib: await logOfCommands(config) });
}

/** Returns the size of the write-ahead log of a command. A database on a server has its own. */
async function logOfCommands(config: RepositoryConfig): Promise<number> {
  const file = databaseFileOf(config);
  if (file === undefined) return MIN_LOG_KIB;
  const { bavail, bsize } = await statfs(dirname(file));
  const shareKib = Math.floor(((bavail * bsize) / 1024) * LOG_SHARE);
  return Math.min(MAX_LOG_KIB, Math.max(MIN_LOG_KIB, shareKib));
}

/** Throws CommandError if the database holds no repository, or one of an older version. */
export async function requireCurrentRepository(database: Database): Promise<void> {
  await requireWhole(database);
  const pending = await pendingMigrations(database.client);
  if (pending.length === migrations.length)
    throw new CommandError('There is no repository in this database: create one with repo serve, or name another one.');
  if (pending.length > 0)
    throw new CommandError('The database is of an older version of repo. Migrate it with: repo migrate');
}

/** Throws CommandError if the database file is missing or empty. */
export async function requireFile(config: RepositoryConfig): Promise<void> {
  const file = fileToKeep(config);
  if (file === undefined || hasContent(file)) return;
  const loss = lossOf(file, config.dataFolder, await findTraces(config));
  if (loss) throw loss.error;
  throw new CommandError(
    `There is no repository in ${resolve(config.dataFolder)}: name its folder with --data or REPO_DATA, or create one with: repo serve`,
  );
}
