import type { S3Config } from './config.ts';
import type { S3Failure } from './failure.ts';

/** Returns a failure with advice for the administrator, in a sentence or two, without secrets. */
export function explain(config: S3Config, failure: S3Failure): string {
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
      return 'the session token is not valid any more. Renew the credentials.';
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
