import { join, resolve } from 'node:path';
import { readEnv } from '../base/env.ts';
import type { Log } from '../base/log.ts';
import type { SchemeConfig } from '../config/schemes.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import type { Scheme } from '../repository/files/scheme.ts';
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
