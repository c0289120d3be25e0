import { ServiceError } from '../base/errors.ts';
import { createS3Addresses } from './s3-address.ts';
import { createS3Check } from './s3-check.ts';
import type { S3Config } from './s3-config.ts';
import { createCredentials } from './s3-credentials.ts';
import { onS3, S3Failure, toServiceError } from './s3-failure.ts';
import { listObjects, listUploads, type S3Listed, type S3ListedUpload } from './s3-list.ts';
import { createPartBuffers } from './s3-part-buffers.ts';
import { createPresign } from './s3-presign.ts';
import { readObject } from './s3-read.ts';
import { createS3Requests } from './s3-request.ts';
import { PATIENCE_TO_REMOVE, PATIENCE_TO_WRITE, type Patience } from './s3-retry.ts';
import { statObject } from './s3-stat.ts';
import { abortUpload, createUpload, type Upload } from './s3-upload.ts';
import type { ByteRange, DownloadHeaders, StoredBytes } from './storage.ts';

export interface S3BucketOptions {
  /** The value of an environment variable, for credentials that come from there. */
  readEnv(name: string): string | undefined;
  /** How long it is tried again what may pass; for tests. */
  patience?: Patience;
  /** How long a download may be silent; for tests. */
  silenceMs?: number;
}

/**
 * Objects in a bucket, under names of the caller's own: the configured prefix is put before each and taken from each.
 * Every member throws `storage-failed`, `unavailable` or `storage-full`. Nobody speaks to the server before the first call.
 */
export interface S3Bucket {
  /** Sends a stream as an object. Nothing is left of one that fails, as far as the server can be reached. */
  upload(name: string, source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StoredBytes>;
  /** An upload whose leftovers the caller removes. `onParts` is told the id of an upload in parts. */
  beginUpload(name: string, onParts?: (uploadId: string) => Promise<void>): Upload;
  read(name: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>>;
  stat(name: string): Promise<{ bytes: number } | undefined>;
  /** One that is not there is no error. */
  remove(name: string): Promise<void>;
  /** Every object whose name begins so. */
  list(start?: string): AsyncGenerator<S3Listed, void, void>;
  /** Every unfinished upload in parts whose name begins so; a server that knows no such request answers 4xx or 501. */
  listUploads(start?: string): AsyncGenerator<S3ListedUpload, void, void>;
  abortUpload(name: string, uploadId: string): Promise<void>;
  /** An address from which the object can be fetched for five minutes. */
  presign(name: string, headers: DownloadHeaders): Promise<string>;
  /** Whether it can be written to now. */
  check(): Promise<void>;
}

export function createS3Bucket(config: S3Config, { readEnv, patience, silenceMs }: S3BucketOptions): S3Bucket {
  const addresses = createS3Addresses(config);
  const credentials = createCredentials(config.credentials, readEnv);
  const requests = createS3Requests(addresses, config.region, credentials);
  const uploading = { requests, buffers: createPartBuffers(), headers: headersOf(config), patience };
  const presign = createPresign(config, addresses, credentials);
  const toWrite = patience ?? PATIENCE_TO_WRITE;
  const whole = (name: string) => `${config.prefix}${name}`;

  const beginUpload: S3Bucket['beginUpload'] = (name, onParts) => {
    const upload = createUpload(whole(name), { ...uploading, ...(onParts && { onParts }) });
    return {
      run: (source, signal) => onS3('The file could not be stored.', () => upload.run(source, signal)),
      undo: () => onS3('The file could not be removed.', upload.undo),
    };
  };
  async function* stripped<T extends { name: string }>(found: AsyncGenerator<T, void, void>) {
    try {
      for await (const each of found) yield { ...each, name: each.name.slice(config.prefix.length) };
    } catch (error) {
      throw toServiceError('The file store could not be searched.', error);
    }
  }
  return {
    beginUpload,
    async upload(name, source, signal) {
      const upload = createUpload(whole(name), uploading);
      return onS3('The file could not be stored.', async () => {
        try {
          return await upload.run(source, signal);
        } catch (error) {
          await upload.undo().catch((leftover: unknown) => {
            // The caller learns why the upload failed, not why clearing up did.
            if (!(leftover instanceof S3Failure || leftover instanceof ServiceError)) throw leftover;
          });
          throw error;
        }
      });
    },
    read: (name, range) =>
      onS3('The file could not be read.', () => readObject(requests, whole(name), range, { patience, silenceMs })),
    stat: (name) =>
      onS3('The file could not be read.', () => statObject(requests, whole(name), patience ? { patience } : {})),
    remove: (name) =>
      onS3('The file could not be removed.', async () => {
        try {
          await requests.send({ method: 'DELETE', name: whole(name), patience: patience ?? PATIENCE_TO_REMOVE });
        } catch (error) {
          // Some servers say so of an object that is not there.
          if (!(error instanceof S3Failure && error.status === 404 && error.code !== 'NoSuchBucket')) throw error;
        }
      }),
    list: (start = '') => stripped(listObjects(requests, whole(start), toWrite)),
    listUploads: (start = '') => stripped(listUploads(requests, whole(start), toWrite)),
    abortUpload: (name, uploadId) =>
      onS3('The file could not be removed.', () => abortUpload(requests, whole(name), uploadId)),
    presign: (name, headers) => presign(whole(name), headers),
    check: createS3Check(config, requests, encryptionOf(config)),
  };
}

function headersOf(config: S3Config): Record<string, string> {
  const { storageClass } = config;
  return { ...encryptionOf(config), ...(storageClass && { 'x-amz-storage-class': storageClass }) };
}

function encryptionOf({ encryption }: S3Config): Record<string, string> {
  return {
    ...(encryption && { 'x-amz-server-side-encryption': encryption.algorithm }),
    ...(encryption?.keyId && { 'x-amz-server-side-encryption-aws-kms-key-id': encryption.keyId }),
  };
}
