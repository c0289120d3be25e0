import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { settlesWithin } from '../../base/settles-within.ts';
import { storageFailed } from '../errors.ts';
import { readSource } from '../read-source.ts';
import type { StoredBytes } from '../storage.ts';
import type { S3Clients, S3Object } from './client.ts';
import { isStatus, isTransient, S3Failure } from './failure.ts';
import { createMultipartUpload, type MultipartUpload } from './multipart.ts';
import type { PartBuffers } from './part-buffers.ts';
import { partSize } from './part-buffers.ts';
import { statObject } from './stat.ts';

/** For clean-up: a client that waits for the error must not wait for a server that does not answer. */
const UNDO_MS = 5_000;

/** Sent with each new object. */
export type ObjectSettings = Pick<PutObjectCommandInput, 'ServerSideEncryption' | 'SSEKMSKeyId' | 'StorageClass'>;

interface ObjectUploadOptions {
  clients: S3Clients;
  buffers: PartBuffers;
  settings: ObjectSettings;
  /** Called with the id of an upload in parts, before the first is sent. */
  onParts?(uploadId: string): Promise<void>;
}

/** The upload of one object. */
export interface ObjectUpload {
  /**
   * Sends a stream: in one request if it fits into one part, else in parts. The object exists, whole, when this
   * resolves, and never before. Rejects with the stream's own error, the reason of the abort, S3Failure, or
   * `storage-failed` if an object of this name exists.
   */
  run(source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StoredBytes>;
  /** Removes the parts of an unfinished upload, or the object. Throws S3Failure. */
  undo(): Promise<void>;
}

export function createObjectUpload(object: S3Object, options: ObjectUploadOptions): ObjectUpload {
  const { clients, buffers, settings } = options;
  const client = clients('write');
  const broken = new AbortController();
  let uploadId: string | undefined;
  let parts: MultipartUpload | undefined;
  /** `mayExist`: this upload may have created the object; `isWhole`: it has. */
  let mayExist = false;
  let isWhole = false;
  /** The request that creates the object. An abort does not end it: the server could create the object after its removal. */
  let creating: Promise<unknown> | undefined;
  const create = (request: Promise<unknown>, signal: AbortSignal): Promise<unknown> => {
    mayExist = true;
    creating = request;
    return untilAborted(request, signal);
  };

  const begin = async (signal: AbortSignal) => {
    const asked = new CreateMultipartUploadCommand({ ...object, ...settings });
    uploadId = (await client.send(asked, { abortSignal: signal })).UploadId;
    if (uploadId === undefined)
      throw new S3Failure(`POST ${JSON.stringify(object.Key)}`, 'no UploadId', { status: 200 });
    await options.onParts?.(uploadId);
    const onFailure = (error: unknown) => broken.abort(error);
    return createMultipartUpload(object, uploadId, { client, buffers, signal, onFailure });
  };
  const complete = async (upload: MultipartUpload, bytes: number, signal: AbortSignal) => {
    try {
      await create(upload.complete(bytes), signal);
    } catch (error) {
      signal.throwIfAborted();
      // Only the answer may be lost; the server does not know a completed upload any more.
      if (!isTransient(error) && !isStatus(error, 404)) throw error;
      const existing = await statObject(client, object, signal);
      if (existing?.bytes !== bytes) throw error;
    }
  };
  return {
    async run(source, outerSignal) {
      const signal = outerSignal ? AbortSignal.any([outerSignal, broken.signal]) : broken.signal;
      signal.throwIfAborted();
      const mustBeFree = settle(refuseTaken(client, object, signal));
      let buffer = buffers.take(0);
      let filled = 0;
      const fill = (chunk: Uint8Array): undefined => {
        buffer.set(chunk, filled);
        filled += chunk.byteLength;
      };
      const spread = async (chunk: Uint8Array) => {
        let rest = chunk;
        for (;;) {
          const fitting = rest.subarray(0, buffer.byteLength - filled);
          fill(fitting);
          rest = rest.subarray(fitting.byteLength);
          if (rest.byteLength === 0) return;
          const full = buffer;
          if (parts === undefined && full.byteLength < partSize(1)) {
            buffer = buffers.take(partSize(1));
            buffer.set(full);
            buffers.giveBack(full);
            continue;
          }
          (await mustBeFree)();
          parts ??= await begin(signal);
          await parts.send(full, filled);
          sent += 1;
          buffer = buffers.take(partSize(sent + 1));
          filled = 0;
        }
      };
      let sent = 0;
      try {
        const stored = await readSource(source, signal, (chunk) => {
          if (chunk.byteLength > buffer.byteLength - filled) return spread(chunk);
          return fill(chunk);
        });
        (await mustBeFree)();
        if (parts === undefined) {
          const put = new PutObjectCommand({ ...object, ...settings, Body: buffer.subarray(0, filled) });
          await create(client.send(put), signal);
          buffers.giveBack(buffer);
        } else {
          await parts.send(buffer, filled);
          await complete(parts, stored.bytes, signal);
          uploadId = undefined;
        }
        isWhole = true;
        signal.throwIfAborted();
        return stored;
      } catch (error) {
        // An aborted request reports errors of its own, such as a closed connection.
        const cause: unknown = signal.aborted ? signal.reason : error;
        broken.abort(cause);
        throw cause;
      }
    },
    async undo() {
      broken.abort(new Error('the upload is not wanted'));
      await parts?.settled();
      if (uploadId !== undefined) await abortUpload(clients, object, uploadId);
      uploadId = undefined;
      if (!mayExist) return;
      await settlesWithin(Promise.allSettled([creating]), UNDO_MS);
      await clients(isWhole ? 'write' : 'once').send(new DeleteObjectCommand(object), { requestTimeout: UNDO_MS });
    },
  };
}

/** Ends an upload in parts permanently. Ignores one that does not exist, and a server without such a request. */
export async function abortUpload(clients: S3Clients, object: S3Object, uploadId: string): Promise<void> {
  try {
    const abort = new AbortMultipartUploadCommand({ ...object, UploadId: uploadId });
    await clients('once').send(abort, { requestTimeout: UNDO_MS });
  } catch (error) {
    if (!isStatus(error, 404, 405, 501)) throw error;
  }
}

async function refuseTaken(client: S3Client, object: S3Object, signal: AbortSignal): Promise<void> {
  if ((await statObject(client, object, signal)) === undefined) return;
  const taken = new Error(`S3: there is an object ${JSON.stringify(object.Key)} already`);
  throw storageFailed('The file could not be stored.', taken);
}

/** Awaits a request, which continues after the signal aborts. Rejects with the reason of the abort. */
async function untilAborted(request: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  // The request may end after everyone has gone.
  request.catch(() => {});
  try {
    signal.throwIfAborted();
    return await Promise.race([request, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Keeps a failure as a value: the promise is not awaited meanwhile. */
function settle(work: Promise<void>): Promise<() => void> {
  return work.then(
    () => () => undefined,
    (error: unknown) => () => {
      throw error;
    },
  );
}
