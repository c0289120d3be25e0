import { join, resolve } from 'node:path';
import { loadOrCreatePrivateFile } from '../auth/private-file.ts';
import { SECRET_FILE } from '../auth/secret.ts';
import { SIGNING_KEY_FILE } from '../auth/signing-key.ts';
import { createPace } from '../base/byte-pace.ts';
import { CommandError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import { migrations } from '../database/migrate.ts';
import { ensureFolders } from '../storage/real-folder.ts';
import { installDatabaseFile } from '../upkeep/backup/database-file.ts';
import { installOnServer, requireEmptyServer } from '../upkeep/backup/install-server.ts';
import { lockFile } from '../upkeep/backup/local-place.ts';
import { findBackup, type RestoreResult, restoreBackup } from '../upkeep/backup/restore-backup.ts';
import type { ServerAddress } from '../upkeep/backup/snapshot-server.ts';
import { type BackupRequest, FILES_AT_ONCE } from './back-up-repository.ts';
import { openPlace } from './backup-place.ts';
import { KEYS_FOLDER } from './load-keys.ts';
import { hasContent } from './lost-database.ts';
import { databaseFileOf } from './open-database.ts';
import { openStores } from './open-stores.ts';

/** The suffix of a database before it is moved to its place. */
const RESTORING = '.restoring';

export interface RestoreRequest extends Omit<BackupRequest, 'isRechecked'> {
  /** The name of a backup; undefined: the latest. */
  readonly backup: string | undefined;
  readonly acceptsLoss: boolean;
}

/**
 * Restores a backup to the database, files and keys of a configuration, which must be new, or left by an interrupted
 * restore. Throws CommandError, BackupError, and the reason of the signal.
 */
export async function restoreRepository(
  config: RepositoryConfig,
  request: RestoreRequest,
  log: Log,
): Promise<RestoreResult> {
  const { address, backup, acceptsLoss, bytesPerSecond, onProgress, signal } = request;
  const dataFolder = resolve(config.dataFolder);
  const server = serverOf(config);
  const file = databaseFileOf(config);
  const workFile = `${file ?? join(dataFolder, 'repository.db')}${RESTORING}`;
  const requireNew = async () => {
    // An empty file is no obstacle: a lost database is a reason to restore.
    if (file !== undefined && hasContent(file))
      throw new CommandError(`There is a repository already: ${file}. Name a new place with --data or REPO_DATA.`);
    if (server !== undefined) await requireEmptyServer(server);
  };
  const work = async () => {
    // Checks again, since another restore may have completed meanwhile.
    await requireNew();
    const schemes = await openStores(config, log);
    const pace = createPace(bytesPerSecond);
    return restoreBackup({
      place,
      backup,
      acceptsLoss,
      workFile,
      knownMigrations: new Set(migrations.map(({ name }) => name)),
      stores: new Map([...schemes].map(([name, { storage }]) => [name, storage])),
      atOnce: FILES_AT_ONCE,
      pace: (bytes) => pace.take(bytes, signal),
      onProgress,
      signal,
      async install(secrets, onRows) {
        if (server !== undefined) return installOnServer(workFile, server, onRows);
        await restoreKeys(join(dataFolder, KEYS_FOLDER), secrets);
        await installDatabaseFile(workFile, String(file));
      },
    });
  };
  const place = openPlace(address, config);
  await requireNew();
  // Before anything is created, so that a mistyped place leaves no files.
  await findBackup(place, backup);
  await ensureFolders(dataFolder);
  const taken = `Another restore to ${dataFolder} is under way.`;
  const lock = lockFile(`${workFile}.lock`, { taken, isRemoved: true });
  return work().finally(lock.release);
}

function serverOf(config: RepositoryConfig): ServerAddress | undefined {
  const { url, authToken, syncUrl } = config.database;
  if (syncUrl !== undefined) return { url: syncUrl, authToken };
  return url === undefined || databaseFileOf(config) !== undefined ? undefined : { url, authToken };
}

/** Restores the known keys only: names in a backup must not become paths. */
async function restoreKeys(folder: string, secrets: ReadonlyMap<string, string>): Promise<void> {
  for (const name of [SIGNING_KEY_FILE, SECRET_FILE]) {
    const text = secrets.get(name);
    if (text === undefined) continue;
    const file = join(folder, name);
    if ((await loadOrCreatePrivateFile(file, async () => text)) !== text)
      throw new CommandError(`There is another key in ${file}. Move it away, and run the same command again.`);
  }
}
