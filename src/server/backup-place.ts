import { readEnv } from '../base/env.ts';
import { CommandError } from '../base/errors.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import { createS3Bucket } from '../storage/s3/bucket.ts';
import type { S3Config } from '../storage/s3/config.ts';
import { createLocalPlace } from '../upkeep/backup/local-place.ts';
import type { BackupPlace } from '../upkeep/backup/place.ts';
import { createS3Place } from '../upkeep/backup/s3-place.ts';

/** An address with a bucket name that S3 allows. */
const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;

/**
 * Returns the place of backups at an address: a folder, or `s3://bucket/prefix`. A storage scheme in the same bucket has
 * its server and credentials, or else the environment. Throws CommandError for an invalid address.
 */
export function openPlace(address: string, config: RepositoryConfig): BackupPlace {
  if (!address.startsWith('s3://')) return createLocalPlace(address);
  const [, bucket, prefix = ''] = S3_ADDRESS.exec(address) ?? [];
  if (bucket === undefined) throw new CommandError(`Invalid address ${address}: expected s3://bucket/prefix.`);
  const trimmed = prefix.replace(/\/+$/, '');
  const bucketConfig = { ...findBucket(bucket, config), prefix: trimmed === '' ? '' : `${trimmed}/` };
  return createS3Place(createS3Bucket(bucketConfig, { readEnv }), address);
}

function findBucket(bucket: string, { schemes }: RepositoryConfig): S3Config {
  for (const scheme of schemes) if (scheme.driver === 's3' && scheme.s3.bucket === bucket) return scheme.s3;
  const region = readEnv('AWS_REGION') ?? readEnv('AWS_DEFAULT_REGION') ?? 'us-east-1';
  const endpoint = readEnv('AWS_ENDPOINT_URL_S3') ?? readEnv('AWS_ENDPOINT_URL');
  return {
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    region,
    bucket,
    prefix: '',
    pathStyle: endpoint !== undefined,
    credentials: { from: 'environment' },
    encryption: undefined,
    storageClass: undefined,
  };
}
