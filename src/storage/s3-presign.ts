import { AwsV4Signer } from 'aws4fetch';
import type { S3Addresses } from './s3-address.ts';
import type { S3Config } from './s3-config.ts';
import type { CredentialSource } from './s3-credentials.ts';
import { type DownloadHeaders, PRESIGNED_SECONDS } from './storage.ts';

/**
 * Makes addresses from which an object can be fetched for five minutes, by its whole name. Throws what asking for
 * credentials throws.
 */
export function createPresign(
  { region }: S3Config,
  addresses: S3Addresses,
  credentials: CredentialSource,
): (name: string, headers: DownloadHeaders) => Promise<string> {
  return async (name, { contentType, contentDisposition }) => {
    const { accessKeyId, secretAccessKey, sessionToken } = await credentials.get();
    const signer = new AwsV4Signer({
      method: 'GET',
      url: addresses.of(name, {
        'response-content-type': contentType,
        'response-content-disposition': contentDisposition,
        'X-Amz-Expires': String(PRESIGNED_SECONDS),
      }),
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 's3',
      region,
      signQuery: true,
    });
    const { url } = await signer.sign();
    // A blank is written as in a form, which not every server reads. A plus itself is %2B by now.
    return url.href.replaceAll('+', '%20');
  };
}
