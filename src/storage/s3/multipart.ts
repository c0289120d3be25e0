import { CompleteMultipartUploadCommand, type S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import type { S3Object } from './client.ts';
import { S3Failure } from './failure.ts';
import type { PartBuffers } from './part-buffers.ts';
import { MAX_PARTS, partsAtOnce } from './part-buffers.ts';

/** Time for a server to combine the parts, in addition to copying them on a slow disk. */
const COMPLETE_MS = 60_000;
const COMPLETE_BYTES_PER_MS = 10_000;

interface MultipartOptions {
  client: S3Client;
  buffers: PartBuffers;
  /** Ends the requests under way. */
  signal: AbortSignal;
  /** Called when a part cannot be sent. */
  onFailure(error: unknown): void;
}

/** An upload in parts, a few of which are sent at a time. */
export interface MultipartUpload {
  /** Takes over a buffer as the next part; resolves when its request has begun. */
  send(buffer: Buffer<ArrayBuffer>, bytes: number): Promise<void>;
  /** Combines the parts once all are sent. The object exists when this resolves. An abort does not end the last request. */
  complete(totalBytes: number): Promise<void>;
  /** Resolves when all requests have ended, also those that failed. */
  settled(): Promise<void>;
}

/** Continues an upload that the server has begun under `uploadId`. */
export function createMultipartUpload(object: S3Object, uploadId: string, options: MultipartOptions): MultipartUpload {
  const { client, buffers, signal } = options;
  const underWay = new Set<Promise<void>>();
  const tags: string[] = [];
  const failure = (reason: string, status: number) =>
    new S3Failure(`PUT ${JSON.stringify(object.Key)}`, reason, { status });

  const sendPart = async (number: number, buffer: Buffer<ArrayBuffer>, bytes: number) => {
    const part = { ...object, UploadId: uploadId, PartNumber: number, Body: buffer.subarray(0, bytes) };
    const { ETag } = await client.send(new UploadPartCommand(part), { abortSignal: signal });
    if (ETag === undefined) throw failure('the answer to a part has no ETag', 200);
    tags[number - 1] = ETag;
    buffers.giveBack(buffer);
  };
  return {
    async send(buffer, bytes) {
      let isExtra = false;
      while (underWay.size > 0) {
        isExtra = underWay.size < partsAtOnce(bytes) && buffers.beginExtra();
        if (isExtra) break;
        await Promise.race(underWay);
      }
      signal.throwIfAborted();
      const number = tags.length + 1;
      if (number > MAX_PARTS) throw failure('the file is too large', 400);
      // Reserves the position, since responses may arrive in any order.
      tags.push('');
      const part = sendPart(number, buffer, bytes)
        .catch(options.onFailure)
        .finally(() => {
          underWay.delete(part);
          if (isExtra) buffers.endExtra();
        });
      underWay.add(part);
    },
    async complete(totalBytes) {
      await Promise.all(underWay);
      signal.throwIfAborted();
      const Parts = tags.map((ETag, i) => ({ PartNumber: i + 1, ETag }));
      await client.send(
        new CompleteMultipartUploadCommand({ ...object, UploadId: uploadId, MultipartUpload: { Parts } }),
        {
          requestTimeout: COMPLETE_MS + totalBytes / COMPLETE_BYTES_PER_MS,
        },
      );
    },
    settled: async () => void (await Promise.all(underWay)),
  };
}
