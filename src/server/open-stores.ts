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
import { createLocalStorage } from '../storage/local/local.ts';
import type { Storage } from '../storage/storage.ts';

/** Where processes note what they are uploading to a bucket, until a row names it. */
const STAGING_FOLDER = 'staging';

/** The storage schemes of a configuration, opened. Throws `storage-failed` for a folder that cannot be used. */
export async function openStores(config: RepositoryConfig, log: Log): Promise<ReadonlyMap<string, Scheme>> {
  const dataFolder = resolve(config.dataFolder);
  const schemes = new Map<string, Scheme>();
  for (const scheme of config.schemes) {
    const { name, storeIn = name } = scheme;
    schemes.set(name, { name, storeIn, storage: await openStore(scheme, dataFolder, log) });
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
 * Removes what processes have left that were killed: bytes without a row, and objects that were to go. A store that
 * cannot be used now keeps nobody from starting: what it holds too much of goes later. Throws what the database says,
 * and `storage-failed` for a store that can be written to and not be cleared up.
 */
export async function clearUp(services: Services, log: Log): Promise<void> {
  const away = new Set<string>();
  for (const { name, storage } of services.schemes.values()) {
    try {
      // It answers sooner than a removal gives up.
      await storage.check();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      away.add(name);
      log.warn({ err: error, scheme: name }, 'a store cannot be used: what earlier runs have left there stays for now');
      continue;
    }
    try {
      const { removed } = await storage.recover((keys) => referredKeys(services, keys));
      if (removed > 0) log.info({ scheme: name, removed }, 'removed unfinished uploads of an earlier run');
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'unavailable') throw error;
      away.add(name);
      log.warn({ err: error, scheme: name }, 'a store went away: what earlier runs have left there stays for now');
    }
  }
  await removeAllDiscarded(services, away);
}
