import { XMLParser } from 'fast-xml-parser';
import { storageFailed } from './errors.ts';
import { readSource } from './read-source.ts';
import { isStatus, isTransient, S3Failure } from './s3-failure.ts';
import { createMultipartUpload, type MultipartUpload } from './s3-multipart.ts';
import type { PartBuffers } from './s3-part-buffers.ts';
import { partSize } from './s3-part-sizes.ts';
import type { S3Requests } from './s3-request.ts';
import { NO_PATIENCE, PATIENCE_TO_WRITE, type Patience } from './s3-retry.ts';
import { statObject } from './s3-stat.ts';
import type { StoredBytes } from './storage.ts';

/** For clearing up: whoever waits for the error must not wait for a server that does not answer. */
const UNDO_MS = 5_000;

export interface UploadOptions {
  requests: S3Requests;
  buffers: PartBuffers;
  /** What is sent with each new object, such as its encryption. */
  headers: Readonly<Record<string, string>>;
  /** Called with the id of an upload in parts, before the first is sent. */
  onParts?(uploadId: string): Promise<void>;
  patience?: Patience | undefined;
}

/** The upload of one object. */
export interface Upload {
  /**
   * Sends a stream: what fits into one part in one request, all else in parts. The object is there, whole, when this
   * resolves, and never before. Rejects with the stream's own error, the reason of the abort, S3Failure, or
   * `storage-failed` if there is an object of this name.
   */
  run(source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StoredBytes>;
  /** Removes what the upload has left, or the object itself. Throws S3Failure. */
  undo(): Promise<void>;
}

const parser = new XMLParser({ parseTagValue: false });

export function createUpload(name: string, options: UploadOptions): Upload {
  const { requests, buffers, headers, patience = PATIENCE_TO_WRITE } = options;
  const broken = new AbortController();
  let uploadId: string | undefined;
  let parts: MultipartUpload | undefined;
  /** Whether the object may be there by our doing, and whether it is certain. */
  let mayExist = false;
  let isWhole = false;

  const begin = async (signal: AbortSignal) => {
    const { text } = await requests.send({ method: 'POST', name, query: { uploads: '' }, headers, patience, signal });
    uploadId = idIn(text);
    if (uploadId === undefined) throw new S3Failure(`POST ${JSON.stringify(name)}`, 'no UploadId', { status: 200 });
    await options.onParts?.(uploadId);
    const onFailure = (error: unknown) => broken.abort(error);
    return createMultipartUpload(name, uploadId, { requests, buffers, signal, onFailure, patience });
  };
  const complete = async (upload: MultipartUpload, bytes: number, signal: AbortSignal) => {
    mayExist = true;
    try {
      await upload.complete(bytes);
    } catch (error) {
      signal.throwIfAborted();
      // The answer may be all that was lost; an upload that is complete is not known to the server any more.
      if (!isTransient(error) && !isStatus(error, 404)) throw error;
      const found = await statObject(requests, name, { patience, signal });
      if (found?.bytes !== bytes) throw error;
    }
  };
  return {
    async run(source, outerSignal) {
      const signal = outerSignal ? AbortSignal.any([outerSignal, broken.signal]) : broken.signal;
      signal.throwIfAborted();
      const mustBeFree = settle(refuseTaken(requests, name, patience, signal));
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
          mayExist = true;
          const body = buffer.subarray(0, filled);
          await requests.send({ method: 'PUT', name, headers, body, sha256: stored.sha256, patience, signal });
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
        broken.abort(error);
        throw error;
      }
    },
    async undo() {
      broken.abort(new Error('the upload is not wanted'));
      await parts?.settled();
      if (uploadId !== undefined) await abortUpload(requests, name, uploadId);
      uploadId = undefined;
      if (!mayExist) return;
      await requests.send({ method: 'DELETE', name, patience: isWhole ? patience : NO_PATIENCE, answerMs: UNDO_MS });
    },
  };
}

/** Ends an upload in parts for ever; one that is not there is no error, nor is a server that knows no such request. */
export async function abortUpload(requests: S3Requests, name: string, uploadId: string): Promise<void> {
  try {
    await requests.send({ method: 'DELETE', name, query: { uploadId }, patience: NO_PATIENCE, answerMs: UNDO_MS });
  } catch (error) {
    if (!isStatus(error, 404, 405, 501)) throw error;
  }
}

async function refuseTaken(requests: S3Requests, name: string, patience: Patience, signal: AbortSignal): Promise<void> {
  if ((await statObject(requests, name, { patience, signal })) === undefined) return;
  throw storageFailed(
    'The file could not be stored.',
    new Error(`S3: there is an object ${JSON.stringify(name)} already`),
  );
}

/** Keeps a failure until it is asked for: nobody waits for the promise meanwhile. */
function settle(work: Promise<void>): Promise<() => void> {
  return work.then(
    () => () => undefined,
    (error: unknown) => () => {
      throw error;
    },
  );
}

function idIn(text: string): string | undefined {
  try {
    const told = parser.parse(text) as { InitiateMultipartUploadResult?: { UploadId?: string } };
    return told.InitiateMultipartUploadResult?.UploadId || undefined;
  } catch {
    // No XML: something in front of the server has answered. The caller says what is missing.
    return undefined;
  }
}
