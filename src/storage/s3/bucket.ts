import {
  DeleteObjectCommand,
  GetObjectCommand,
  type ServerSideEncryption,
  type StorageClass,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { ServiceError } from '../../base/errors.ts';
import { storageFailed } from '../errors.ts';
import type { ByteRange, DownloadHeaders, StoredBytes } from '../storage.ts';
import { createS3Check } from './check.ts';
import { createS3Clients, type S3Object } from './client.ts';
import type { S3Config } from './config.ts';
import { createCredentials } from './credentials.ts';
import { onS3, S3Failure, toServiceError } from './failure.ts';
import { listObjects, listUploads, type S3Listed, type S3ListedUpload } from './list.ts';
import { abortUpload, createObjectUpload, type ObjectSettings, type ObjectUpload } from './object-upload.ts';
import { createPartBuffers } from './part-buffers.ts';
import { readObject } from './read.ts';
import type { Patience } from './retry.ts';
import { statObject } from './stat.ts';

export interface S3BucketOptions {
  /** Returns the value of an environment variable, for credentials. */
  readEnv(name: string): string | undefined;
  /** The time in which transient failures are retried; for tests. */
  patience?: Patience;
  /** The longest silence of a download, in milliseconds; for tests. */
  silenceMs?: number;
}

/**
 * Objects in a bucket, under the caller's names: the configured prefix is added to each and removed from each. Every
 * member throws `storage-failed`, `unavailable` or `storage-full`. The first call sends the first request.
 */
export interface S3Bucket {
  /** Sends a stream as an object. Removes what a failed upload has left, if the server can be reached. */
  upload(name: string, source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StoredBytes>;
  /** An upload that the caller cleans up. `onParts` receives the id of an upload in parts. */
  beginUpload(name: string, onParts?: (uploadId: string) => Promise<void>): ObjectUpload;
  read(name: string, range?: ByteRange, bytes?: number): Promise<ReadableStream<Uint8Array>>;
  stat(name: string): Promise<{ bytes: number } | undefined>;
  /** Ignores an object that does not exist. */
  remove(name: string): Promise<void>;
  /** Every object whose name begins with `start`. */
  list(start?: string): AsyncGenerator<S3Listed, void, void>;
  /** Every unfinished upload in parts whose name begins with `start`; a server without such a request answers 4xx or 501. */
  listUploads(start?: string): AsyncGenerator<S3ListedUpload, void, void>;
  abortUpload(name: string, uploadId: string): Promise<void>;
  /** An address from which the object can be fetched for five minutes. */
  presign(name: string, headers: DownloadHeaders, seconds: number): Promise<string>;
  /** Rejects if the bucket cannot be written to now. */
  check(): Promise<void>;
}

/** Creates the access to a bucket. Sends no request. */
export function createS3Bucket(config: S3Config, { readEnv, patience, silenceMs }: S3BucketOptions): S3Bucket {
  const clients = createS3Clients(config, createCredentials(config.credentials, readEnv), patience);
  const encryption = encryptionOf(config);
  const uploading = { clients, buffers: createPartBuffers(), settings: { ...encryption, ...storageClassOf(config) } };
  const objectOf = (name: string) => toObject(config, name);

  const beginUpload: S3Bucket['beginUpload'] = (name, onParts) => {
    const upload = createObjectUpload(objectOf(name), { ...uploading, ...(onParts && { onParts }) });
    return {
      run: (source, signal) => onS3('The file could not be stored.', () => upload.run(source, signal)),
      undo: () => onS3('The file could not be removed.', upload.undo),
    };
  };
  async function* withoutPrefix<T extends { name: string }>(entries: AsyncGenerator<T, void, void>) {
    try {
      for await (const each of entries) yield { ...each, name: each.name.slice(config.prefix.length) };
    } catch (error) {
      throw toServiceError('The file store could not be searched.', error);
    }
  }
  return {
    beginUpload,
    async upload(name, source, signal) {
      const upload = beginUpload(name);
      try {
        return await upload.run(source, signal);
      } catch (error) {
        await upload.undo().catch((leftover: unknown) => {
          // The caller receives the reason of the upload, not that of the clean-up.
          if (!(leftover instanceof ServiceError)) throw leftover;
        });
        throw error;
      }
    },
    read: (name, range, bytes) =>
      onS3('The file could not be read.', () =>
        readObject(clients('download'), objectOf(name), { range, bytes, silenceMs }),
      ),
    stat: (name) => onS3('The file could not be read.', () => statObject(clients('read'), objectOf(name))),
    remove: (name) =>
      onS3('The file could not be removed.', async () => {
        try {
          await clients('remove').send(new DeleteObjectCommand(objectOf(name)));
        } catch (error) {
          // Some servers answer so for an object that does not exist.
          if (!(error instanceof S3Failure && error.status === 404 && error.code !== 'NoSuchBucket')) throw error;
        }
      }),
    list: (start = '') => withoutPrefix(listObjects(clients('write'), config.bucket, `${config.prefix}${start}`)),
    listUploads: (start = '') =>
      withoutPrefix(listUploads(clients('write'), config.bucket, `${config.prefix}${start}`)),
    abortUpload: (name, uploadId) =>
      onS3('The file could not be removed.', () => abortUpload(clients, objectOf(name), uploadId)),
    async presign(name, { contentType, contentDisposition }, seconds) {
      const answer = { ResponseContentType: contentType, ResponseContentDisposition: contentDisposition };
      const command = new GetObjectCommand({ ...objectOf(name), ...answer });
      return getSignedUrl(clients('once'), command, { expiresIn: seconds });
    },
    check: createS3Check(config, clients, encryption),
  };
}

/** Throws `storage-failed` for a name with a segment `.` or `..`, which an address cannot hold. */
function toObject({ bucket, prefix }: S3Config, name: string): S3Object {
  const Key = `${prefix}${name}`;
  if (!Key.split('/').some((segment) => segment === '.' || segment === '..')) return { Bucket: bucket, Key };
  throw storageFailed('The file could not be found in the store.', new Error(`${JSON.stringify(Key)} is no name`));
}

function encryptionOf({ encryption }: S3Config): ObjectSettings {
  if (encryption === undefined) return {};
  const { algorithm, keyId } = encryption;
  return { ServerSideEncryption: algorithm as ServerSideEncryption, ...(keyId && { SSEKMSKeyId: keyId }) };
}

function storageClassOf({ storageClass }: S3Config): ObjectSettings {
  return storageClass === undefined ? {} : { StorageClass: storageClass as StorageClass };
}
