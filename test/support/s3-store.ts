import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createS3Bucket } from '../../src/storage/s3/bucket.ts';
import type { S3Config } from '../../src/storage/s3/config.ts';
import { createS3Storage, type S3StorageOptions } from '../../src/storage/s3/s3.ts';
import type { OpenedStore } from '../contract/storage.ts';
import { endedProcess } from './ended-process.ts';

const readEnv = (name: string) => process.env[name] || undefined;

/** The bucket that REPO_TEST_S3_ENDPOINT, _BUCKET, _REGION and AWS_* name, in which tests may write; if they name one. */
export function namedBucket(): S3Config | undefined {
  const endpoint = readEnv('REPO_TEST_S3_ENDPOINT');
  if (endpoint === undefined) return undefined;
  return {
    endpoint,
    bucket: readEnv('REPO_TEST_S3_BUCKET') ?? 'repository',
    region: readEnv('REPO_TEST_S3_REGION') ?? 'us-east-1',
    prefix: '',
    pathStyle: readEnv('REPO_TEST_S3_PATH_STYLE') !== 'false',
    credentials: { from: 'environment' },
    encryption: undefined,
    storageClass: undefined,
  };
}

export type S3StoreOptions = Partial<Omit<S3StorageOptions, 'stagingFolder' | 'readEnv'>>;

/** A store under a prefix of its own in a bucket, with a staging folder of its own; as of a process that has ended. */
export async function openS3Store(
  base: S3Config,
  options: S3StoreOptions = {},
): Promise<OpenedStore & { folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'repo-staging-'));
  const config = { ...base, prefix: `${base.prefix}test-${Bun.randomUUIDv7()}/` };
  const bucket = createS3Bucket(config, { readEnv });
  const common = { warn: () => undefined, ...options, stagingFolder: join(folder, 'staging'), readEnv };
  return {
    folder: common.stagingFolder,
    storage: await createS3Storage(config, { process: endedProcess(), ...common }),
    reopenAfterCrash: () => createS3Storage(config, common),
    async holdings() {
      const objects = await Array.fromAsync(bucket.list());
      const uploads = await Array.fromAsync(bucket.listUploads());
      return [...objects.map(({ name }) => name), ...uploads.map(({ name }) => `upload of ${name}`)].toSorted();
    },
    readsWhatIsRemoved: false,
    async close() {
      rmSync(folder, { recursive: true, force: true });
      for await (const { name } of bucket.list()) await bucket.remove(name);
      for await (const { name, uploadId } of bucket.listUploads()) await bucket.abortUpload(name, uploadId);
    },
  };
}
