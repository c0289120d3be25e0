import { S3Client } from 'bun';
import { storageFailed, storageUnavailable } from './errors.ts';
import type { S3Addresses } from './s3-address.ts';
import type { S3Config } from './s3-config.ts';
import type { CredentialSource } from './s3-credentials.ts';
import type { DownloadHeaders } from './storage.ts';

/** Long enough to begin a download, whatever the line; it may go on for as long as it takes. */
const EXPIRES_SECONDS = 300;

/**
 * Makes addresses from which an object can be fetched for five minutes, by its name without the prefix. Throws
 * `unavailable` as long as no credentials are known, which are learned by any other request, and `storage-failed` for a
 * name that is too long.
 */
export function createPresign(
  { bucket, prefix, region, pathStyle }: S3Config,
  addresses: S3Addresses,
  credentials: CredentialSource,
): (name: string, headers: DownloadHeaders) => string {
  const endpoint = new URL(addresses.bucket).origin;
  return (name, { contentType, contentDisposition }) => {
    const keys = credentials.known();
    if (keys === undefined) throw storageUnavailable(new Error('S3: no credentials are known yet'));
    const { accessKeyId, secretAccessKey, sessionToken } = keys;
    const client = new S3Client({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      region,
      endpoint,
      bucket,
      virtualHostedStyle: !pathStyle,
    });
    try {
      return client.presign(`${prefix}${name}`, { type: contentType, contentDisposition, expiresIn: EXPIRES_SECONDS });
    } catch (error) {
      // Bun has room for 1,024 bytes of bucket and escaped name.
      throw storageFailed('The file could not be read.', error);
    }
  };
}
