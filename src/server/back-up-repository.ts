import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { getTableName } from 'drizzle-orm';
import { name, version } from '../../package.json' with { type: 'json' };
import { SECRET_FILE } from '../auth/secret.ts';
import { SIGNING_KEY_FILE } from '../auth/signing-key.ts';
import { createPace } from '../base/byte-pace.ts';
import { CommandError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import { createDatabase, type Database } from '../database/database.ts';
import { createReaderClient } from '../database/local/open-reader.ts';
import { migrations, pendingMigrations } from '../database/migrate.ts';
import { objectHolds } from '../database/schema/system.ts';
import { findTable } from '../database/sqlite-tables.ts';
import { recordBackup } from '../upkeep/backup/backup-record.ts';
import { snapshotFile } from '../upkeep/backup/database-file.ts';
import { reasonOf } from '../upkeep/backup/errors.ts';
import { holdObjects, makeBackup, type Progress } from '../upkeep/backup/make-backup.ts';
import type { Manifest } from '../upkeep/backup/manifest.ts';
import { snapshotServer } from '../upkeep/backup/snapshot-server.ts';
import { type DatabaseProblem, findDamagedValues } from '../upkeep/integrity/find-damaged-values.ts';
import { openPlace } from './backup-place.ts';
import { KEYS_FOLDER } from './load-keys.ts';
import { atServer, databaseFileOf, explainDamage, openConfigured, requireFile } from './open-database.ts';
import { openStores } from './open-stores.ts';

/** The number of files copied at a time: most are small, and wait for the disk or the network. */
export const FILES_AT_ONCE = 8;

/** The cache of a reader that reads each page once. */
const SNAPSHOT_CACHE_KIB = 1_024;

export interface BackupRequest {
  /** A folder, or `s3://bucket/prefix`. */
  readonly address: string;
  readonly isRechecked: boolean;
  readonly bytesPerSecond: number | undefined;
  readonly onProgress: (progress: Progress) => void;
  /** Receives the damaged values of the copied database. */
  readonly onDamagedValue?: (problem: DatabaseProblem) => void;
  readonly signal: AbortSignal;
}

/**
 * Makes a backup of a repository, running or not. Throws CommandError, BackupError, UnusableDatabaseError,
 * NewerDatabaseError, and the reason of the signal.
 */
export async function backUpRepository(config: RepositoryConfig, request: BackupRequest, log: Log): Promise<Manifest> {
  const { address, bytesPerSecond, signal } = request;
  await requireFile(config);
  const schemes = await openStores(config, log);
  const database = await openConfigured(atServer(config));
  try {
    await explainDamage(config, () => requireHolds(database));
    const pace = createPace(bytesPerSecond);
    const manifest = await makeBackup({
      ...request,
      place: openPlace(address, config),
      program: { name, version },
      stores: new Set(schemes.keys()),
      atOnce: FILES_AT_ONCE,
      pace: (bytes) => pace.take(bytes, signal),
      hold: () => holdObjects((statements) => database.write(statements), `backup ${randomUUID()}`),
      async takeSnapshot(into, onRows) {
        await takeSnapshot(config, into, onRows);
        await reportDamagedValues(into, request);
      },
      secrets: await readSecrets(config, database),
      async read(store, key) {
        const object = await schemes.get(store)?.storage.read(key);
        if (object === undefined) throw new Error(`no store ${store}`);
        return object instanceof Blob ? object.stream() : object;
      },
      now: Date.now,
    });
    await recordBackup(database, manifest);
    return manifest;
  } finally {
    await database.close();
  }
}

/** Requires a repository that can be backed up, also of an older version: a backup precedes a migration. */
async function requireHolds(database: Database): Promise<void> {
  const pending = await pendingMigrations(database.client);
  if (pending.length === migrations.length)
    throw new CommandError('There is no repository in this database: name another one with --data or --config.');
  if ((await database.get(findTable({ name: getTableName(objectHolds) }))) === undefined)
    throw new CommandError(
      'The database is of a version of repo that had no backups. Stop the repository, copy its data folder, and run: repo migrate',
    );
}

/** Copies the database from the server where there is one: a replica may be behind. */
async function takeSnapshot(config: RepositoryConfig, into: string, onRows: (count: number) => void): Promise<void> {
  const file = databaseFileOf(config);
  const { url, authToken, syncUrl } = config.database;
  const serverUrl = syncUrl ?? url;
  if (syncUrl === undefined && file !== undefined) await snapshotFile(file, into);
  else await snapshotServer({ url: String(serverUrl), authToken }, into, onRows);
}

/** Reads every row of a snapshot, and reports damaged values: the backup contains them. */
async function reportDamagedValues(snapshot: string, { onDamagedValue, signal }: BackupRequest): Promise<void> {
  const database = createDatabase(await createReaderClient(snapshot, { cacheKib: SNAPSHOT_CACHE_KIB }), false);
  try {
    for await (const problem of findDamagedValues(database, signal)) onDamagedValue?.(problem);
  } finally {
    await database.close();
  }
}

/** Reads the keys in files; a shared database holds its own. */
async function readSecrets(config: RepositoryConfig, { isShared }: Database): Promise<ReadonlyMap<string, string>> {
  const secrets = new Map<string, string>();
  if (isShared) return secrets;
  for (const name of [SIGNING_KEY_FILE, SECRET_FILE]) {
    const file = join(resolve(config.dataFolder), KEYS_FOLDER, name);
    try {
      if (await Bun.file(file).exists()) secrets.set(name, await Bun.file(file).text());
    } catch (error) {
      throw new CommandError(`The key ${file} cannot be read: ${reasonOf(error)}.`, { cause: error });
    }
  }
  return secrets;
}
