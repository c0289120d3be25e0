import { storageFailed } from './errors.ts';
import type { S3Config } from './s3-config.ts';

/** Where the bucket and its objects are. */
export interface S3Addresses {
  /** Scheme, host and, in path style, the bucket, without a slash at the end. */
  readonly bucket: string;
  /** An object by its whole name, or the bucket itself for an empty one. */
  of(name: string, query?: Readonly<Record<string, string>>): string;
}

/** Throws `storage-failed` for a name with a segment `.` or `..`, which no client can ask for. */
export function createS3Addresses({ endpoint, bucket, pathStyle }: S3Config): S3Addresses {
  const { protocol, host } = new URL(endpoint);
  const root = pathStyle ? `${protocol}//${host}/${encode(bucket)}` : `${protocol}//${bucket}.${host}`;
  return {
    bucket: root,
    of(name, query = {}) {
      const segments = name.split('/');
      if (segments.includes('.') || segments.includes('..')) {
        throw storageFailed(
          'The file could not be found in the store.',
          new Error(`${JSON.stringify(name)} is no name`),
        );
      }
      const asked = Object.entries(query).map(([key, value]) => `${encode(key)}=${encode(value)}`);
      return `${root}/${segments.map(encode).join('/')}${asked.length > 0 ? `?${asked.join('&')}` : ''}`;
    },
  };
}

/** Everything but letters, digits and `-._~`, as signatures count it (AWS, "Signature Version 4", UriEncode). */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}
