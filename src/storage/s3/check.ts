import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { storageFailed, storageUnavailable } from '../errors.ts';
import type { S3Clients } from './client.ts';
import type { S3Config } from './config.ts';
import { isTransient, S3Failure } from './failure.ts';
import type { ObjectSettings } from './object-upload.ts';

/** The time for which a result is cached, since health checks may run every second. */
const TRUST_MS = 10_000;
/** Interval of write checks, since some servers charge for writes. Other checks only list the bucket. */
const WRITE_EVERY_MS = 60_000;
const ANSWER_MS = 5_000;

/**
 * Creates a check of the bucket (see `Storage.check`): callers during a check, or soon after, share its outcome.
 * `settings` go with the object that it writes: a bucket may refuse what is not encrypted.
 */
export function createS3Check(config: S3Config, clients: S3Clients, settings: ObjectSettings): () => Promise<void> {
  let validUntilMs = 0;
  let writtenMs = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;
  const { bucket: Bucket, prefix: Prefix } = config;
  const within = { requestTimeout: ANSWER_MS };

  const look = async () => {
    try {
      const client = clients('check');
      // The answer to a list describes an error in its body; the head of a bucket has none.
      await client.send(new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 }), within);
      if (performance.now() - writtenMs >= WRITE_EVERY_MS) {
        // One name for all: the next check removes what a killed process has left.
        const object = { Bucket, Key: `${Prefix}check` };
        await client.send(new PutObjectCommand({ ...object, ...settings, Body: new Uint8Array([49]) }), within);
        await client.send(new DeleteObjectCommand(object), within);
        writtenMs = performance.now();
      }
      validUntilMs = performance.now() + TRUST_MS;
    } catch (error) {
      // After a failure the next check writes again.
      writtenMs = Number.NEGATIVE_INFINITY;
      if (!(error instanceof S3Failure)) throw error;
      const cause = new Error(explain(config, error), { cause: error });
      throw isTransient(error)
        ? storageUnavailable(cause)
        : storageFailed('The file store cannot be written to.', cause);
    } finally {
      underWay = undefined;
    }
  };
  return async () => {
    if (performance.now() < validUntilMs) return;
    underWay ??= look();
    await underWay;
  };
}

/** Returns a failure with advice for the administrator, in a sentence or two, without secrets. */
function explain(config: S3Config, failure: S3Failure): string {
  return `S3 at ${config.endpoint}, bucket "${config.bucket}": ${adviceFor(config, failure)} (${failure.message})`;
}

function adviceFor({ endpoint, bucket, region, pathStyle }: S3Config, { status, code }: S3Failure): string {
  switch (code) {
    case 'NoSuchBucket':
      return 'there is no such bucket. Create it, or correct "bucket".';
    case 'InvalidAccessKeyId':
      return 'the server does not know this access key. Correct the credentials.';
    case 'SignatureDoesNotMatch':
      return 'the secret access key does not belong to the access key. Correct the credentials.';
    case 'ExpiredToken':
    case 'InvalidToken':
    case 'TokenRefreshRequired':
      return 'the session token has expired. Renew the credentials.';
    case 'RequestTimeTooSkewed':
    case 'RequestExpired':
      return 'the clock of this machine differs from that of the server. Set it, best by NTP.';
    case 'AuthorizationHeaderMalformed':
    case 'PermanentRedirect':
    case 'IllegalLocationConstraintException':
      return `the bucket is not in region "${region}", or not at this endpoint. Correct "region" and "endpoint".`;
    case 'AccessDenied':
      return 'access is denied. The credentials need GetObject, PutObject, DeleteObject, AbortMultipartUpload, ListBucket and ListBucketMultipartUploads.';
  }
  if (status === undefined)
    return `${endpoint} does not answer. Check that the server runs and that "endpoint" is right.`;
  if (status === 301 || status === 307) return `the bucket is elsewhere. Correct "region" and "endpoint".`;
  if (status === 401 || status === 403) return 'access is denied. Check the credentials and what they may do.';
  if (status === 404) {
    const style = pathStyle ? `in the path` : `in the host name (${bucket}.${new URL(endpoint).host})`;
    return `there is no such bucket. Check "bucket", and "path_style": the bucket is looked for ${style}.`;
  }
  return status >= 500 ? 'the server has a problem. Try again later.' : 'the server refuses the request.';
}
