import { BackupError } from '../backup/errors.ts';
import { createLocalPlace } from '../backup/local-place.ts';
import type { BackupPlace } from '../backup/place.ts';
import { createS3Place } from '../backup/s3-place.ts';
import { readEnv } from '../base/env.ts';
import { createS3Bucket } from '../storage/s3-bucket.ts';
import type { S3Config } from '../storage/s3-config.ts';
import { CommandError } from './command-error.ts';
import type { RepositoryConfig } from './repository-config.ts';

/** As S3 allows them. */
const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;

/**
 * The place that a person names: a folder, or `s3://bucket/prefix`. Where the bucket is and what opens it is known from a
 * storage scheme in the same bucket, or else from the environment. Throws CommandError for an address that is none.
 */
export function openPlace(address: string, config: RepositoryConfig): BackupPlace {
  if (!address.startsWith('s3://')) return createLocalPlace(address);
  const [, bucket, prefix = ''] = S3_ADDRESS.exec(address) ?? [];
  if (bucket === undefined) throw new CommandError(`${address} is no place in a bucket: s3://bucket/prefix`);
  const trimmed = prefix.replace(/\/+$/, '');
  const found = { ...findBucket(bucket, config), prefix: trimmed === '' ? '' : `${trimmed}/` };
  return createS3Place(createS3Bucket(found, { readEnv }), address);
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

/** Does something with a place; what is wrong with it is told as a command's failure. */
export async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BackupError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}
