import { S3Failure } from './s3-failure.ts';
import type { PartBuffers } from './s3-part-buffers.ts';
import { MAX_PARTS, partsAtOnce } from './s3-part-sizes.ts';
import type { S3Requests } from './s3-request.ts';
import { PATIENCE_TO_WRITE, type Patience } from './s3-retry.ts';

/** What a server needs to put the parts together, beyond a slow disk's time to copy them. */
const COMPLETE_MS = 60_000;
const COMPLETE_BYTES_PER_MS = 10_000;

export interface MultipartOptions {
  requests: S3Requests;
  buffers: PartBuffers;
  /** Ends the requests under way. */
  signal: AbortSignal;
  /** Called when a part cannot be sent. */
  onFailure(error: unknown): void;
  patience?: Patience | undefined;
}

/** An upload in parts, of which a few are on their way at a time. */
export interface MultipartUpload {
  /** Takes over a buffer as the next part; resolves when it is on its way. */
  send(buffer: Buffer<ArrayBuffer>, bytes: number): Promise<void>;
  /** Puts the parts together, once they have all arrived; the object is there when this resolves. */
  complete(totalBytes: number): Promise<void>;
  /** Resolves when nothing is on its way any more, well or not. */
  settled(): Promise<void>;
}

/** Goes on with an upload that the server has begun under `uploadId`. */
export function createMultipartUpload(name: string, uploadId: string, options: MultipartOptions): MultipartUpload {
  const { requests, buffers, signal, patience = PATIENCE_TO_WRITE } = options;
  const underWay = new Set<Promise<void>>();
  const tags: string[] = [];

  const sendPart = async (number: number, buffer: Buffer<ArrayBuffer>, bytes: number) => {
    const { headers } = await requests.send({
      method: 'PUT',
      name,
      query: { partNumber: String(number), uploadId },
      body: buffer.subarray(0, bytes),
      patience,
      signal,
    });
    const tag = headers.get('etag');
    if (tag === null)
      throw new S3Failure(`PUT ${JSON.stringify(name)}`, 'the answer to a part has no ETag', { status: 200 });
    tags[number - 1] = tag;
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
      if (number > MAX_PARTS)
        throw new S3Failure(`PUT ${JSON.stringify(name)}`, 'the file is too large', { status: 400 });
      // The place is taken before the answer is there.
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
      const parts = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${inXml(tag)}</ETag></Part>`);
      const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
      await requests.send({
        method: 'POST',
        name,
        query: { uploadId },
        headers: { 'content-type': 'application/xml' },
        body: new TextEncoder().encode(body),
        answerMs: COMPLETE_MS + Math.ceil(totalBytes / COMPLETE_BYTES_PER_MS),
        mayFailLate: true,
        patience,
        signal,
      });
    },
    settled: async () => void (await Promise.all(underWay)),
  };
}

function inXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
