import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { name, version } from '../../package.json' with { type: 'json' };
import { SECRET_FILE } from '../auth/secret.ts';
import { SIGNING_KEY_FILE } from '../auth/signing-key.ts';
import { BackupError, reasonOf } from '../backup/errors.ts';
import { holdObjects } from '../backup/hold.ts';
import { makeBackup, type Progress } from '../backup/make-backup.ts';
import { listBackups, type Manifest, readManifest } from '../backup/manifest.ts';
import { type Pruned, prune } from '../backup/prune.ts';
import { snapshotFile } from '../backup/snapshot-file.ts';
import { snapshotServer } from '../backup/snapshot-server.ts';
import { createPace } from '../base/byte-pace.ts';
import type { Log } from '../base/log.ts';
import type { Database } from '../database/database.ts';
import { pendingMigrations } from '../database/migrate.ts';
import { migrations } from '../database/migrations.ts';
import { openPlace, told } from './backup-place.ts';
import { CommandError } from './command-error.ts';
import { KEYS_FOLDER } from './load-keys.ts';
import { atServer, databaseFileOf, explainDamage, openConfigured, requireFile } from './open-database.ts';
import { openStores } from './open-stores.ts';
import type { RepositoryConfig } from './repository-config.ts';

export type { Manifest, Progress, Pruned };

/** So many files are copied at a time: most are small, and wait for the disk or the network. */
export const FILES_AT_ONCE = 8;

export interface BackupRequest {
  /** A folder, or `s3://bucket/prefix`. */
  readonly address: string;
  readonly isRechecked: boolean;
  readonly bytesPerSecond: number | undefined;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/**
 * Makes a backup of the repository that a configuration describes, whether it runs or not. Throws CommandError,
 * UnusableDatabaseError, NewerDatabaseError, and the reason of the signal.
 */
export async function backUpRepository(config: RepositoryConfig, request: BackupRequest, log: Log): Promise<Manifest> {
  const { address, bytesPerSecond, signal } = request;
  await requireFile(config);
  const schemes = await openStores(config, log);
  const database = await openConfigured(atServer(config));
  try {
    await explainDamage(config, () => requireHolds(database));
    const pace = createPace(bytesPerSecond);
    return await told(async () =>
      makeBackup({
        ...request,
        place: openPlace(address, config),
        program: { name, version },
        stores: new Set(schemes.keys()),
        atOnce: FILES_AT_ONCE,
        pace: (bytes) => pace.take(bytes, signal),
        hold: () => holdObjects((statements) => database.write(statements), `backup ${randomUUID()}`),
        takeSnapshot: (into, onRows) => takeSnapshot(config, into, onRows),
        secrets: await readSecrets(config, database),
        async read(store, key) {
          const object = await schemes.get(store)?.storage.read(key);
          if (object === undefined) throw new Error(`no store ${store}`);
          return object instanceof Blob ? object.stream() : object;
        },
        now: Date.now,
      }),
    );
  } finally {
    await database.close();
  }
}

/** A backup as a list shows it; without a manifest, `problem` says why. */
export type ListedBackup = { readonly backup: string } & (
  | { readonly manifest: Manifest }
  | { readonly problem: string }
);

/** The backups in a place, the oldest first. Throws CommandError. */
export function findBackups(address: string, config: RepositoryConfig): Promise<ListedBackup[]> {
  return told(async () => {
    const place = openPlace(address, config);
    await place.requireExisting();
    const found: ListedBackup[] = [];
    for (const backup of await listBackups(place)) {
      try {
        found.push({ backup, manifest: await readManifest(place, backup) });
      } catch (error) {
        if (!(error instanceof BackupError)) throw error;
        found.push({ backup, problem: error.message });
      }
    }
    return found;
  });
}

/** Removes all but the latest backups from a place. Throws CommandError. */
export function pruneBackups(
  { address, keep, isDryRun }: { address: string; keep: number; isDryRun: boolean },
  config: RepositoryConfig,
): Promise<Pruned> {
  return told(async () => prune(openPlace(address, config), keep, isDryRun));
}

/** Of an older version, too: before a migration is when a backup is wanted. */
async function requireHolds({ client }: Database): Promise<void> {
  const pending = await pendingMigrations(client);
  if (pending.length === migrations.length)
    throw new CommandError('There is no repository in this database: name another one with --data or --config.');
  const { rows } = await client.execute("SELECT 1 FROM sqlite_master WHERE name = 'object_hold'");
  if (rows.length === 0)
    throw new CommandError(
      'The database is of a version of repo that had no backups. Stop the repository, copy its data folder, and run: repo migrate',
    );
}

/** What answers a server's writes is the server that they go to: a replica may be behind. */
async function takeSnapshot(config: RepositoryConfig, into: string, onRows: (count: number) => void): Promise<void> {
  const file = databaseFileOf(config);
  const { url, authToken, syncUrl } = config.database;
  const serverUrl = syncUrl ?? url;
  if (syncUrl === undefined && file !== undefined) await snapshotFile(file, into);
  else await snapshotServer({ url: String(serverUrl), authToken }, into, onRows);
}

/** The keys that are files; those of a shared database are in it. */
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
