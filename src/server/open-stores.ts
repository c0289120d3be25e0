import { join, resolve } from 'node:path';
import { readEnv } from '../base/env.ts';
import { ServiceError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { SchemeConfig } from '../config/schemes.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import type { Services } from '../repository/content/services.ts';
import { removeAllDiscarded } from '../repository/files/discarded.ts';
import type { Scheme } from '../repository/files/scheme.ts';
import { referredKeys } from '../repository/files/stored-files.ts';
import { removeAllExpiredUploads } from '../repository/uploads/remove-uploads.ts';
import { createLocalStorage } from '../storage/local/local.ts';
import type { Storage } from '../storage/storage.ts';

/** The folder with notes about uploads to buckets that have no row yet. */
const STAGING_FOLDER = 'staging';

/** Opens the storage schemes of a configuration. Throws `storage-failed` for an unusable folder. */
export async function openStores(config: RepositoryConfig, log: Log): Promise<ReadonlyMap<string, Scheme>> {
  const dataFolder = resolve(config.dataFolder);
  const schemes = new Map<string, Scheme>();
  for (const scheme of config.schemes) {
    const { name, storeIn = name, isArchive = false } = scheme;
    schemes.set(name, { name, storeIn, isArchive, storage: await openStore(scheme, dataFolder, log) });
  }
  return schemes;
}

async function openStore(scheme: SchemeConfig, dataFolder: string, log: Log): Promise<Storage> {
  if (scheme.driver === 'local') return createLocalStorage(resolve(dataFolder, scheme.folder));
  // Loaded on demand: a repository without buckets starts without the SDK.
  const { createS3Storage } = await import('../storage/s3/s3.ts');
  const { presign, ...store } = await createS3Storage(scheme.s3, {
    stagingFolder: join(dataFolder, STAGING_FOLDER, scheme.name),
    readEnv,
    warn: (message) => log.warn({ scheme: scheme.name }, message),
  });
  return scheme.delivery === 'redirect' && presign !== undefined ? { ...store, presign } : store;
}

/**
 * Cleans up after killed processes: removes objects without a row, and discarded objects. Skips a store that does not
 * answer now. Throws errors of the database, and `storage-failed` for a store that can be written to but not cleaned up.
 */
export async function clearUp(services: Services, log: Log): Promise<void> {
  const away = new Set<string>();
  for (const { name, storage } of services.schemes.values()) {
    try {
      // Fails sooner than a removal.
      await storage.check();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      away.add(name);
      log.warn(
        { err: error, scheme: name },
        'a store cannot be used: unused objects of earlier runs are not removed yet',
      );
      continue;
    }
    try {
      const { removed } = await storage.recover((keys) => referredKeys(services, keys));
      if (removed > 0) log.info({ scheme: name, removed }, 'removed unfinished uploads of an earlier run');
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'unavailable') throw error;
      away.add(name);
      log.warn(
        { err: error, scheme: name },
        'a store no longer answers: unused objects of earlier runs are not removed yet',
      );
    }
  }
  await removeAllDiscarded(services, away);
  await removeAllExpiredUploads(services);
}
