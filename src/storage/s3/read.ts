import { GetObjectCommand, type GetObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import { noteStreamed } from '../../base/release-memory.ts';
import type { ByteRange } from '../storage.ts';
import type { S3Object } from './client.ts';
import { S3Failure, toServiceError } from './failure.ts';

/** The time for the head of an answer, and for each next bytes of its body. */
const SILENCE_MS = 15_000;
/** The maximum number of resumptions without progress, and the number of bytes that is progress. */
const MAX_RESUMES = 5;
const PROGRESS_BYTES = 1024 * 1024;

/** A body that has begun, and its place in the object. */
interface OpenBody {
  reader: ReadableStreamDefaultReader<Uint8Array>;
  first: number;
  /** Behind the last byte. */
  end: number;
  /** The size of the whole object; NaN if the server does not tell. */
  total: number;
  etag: string | undefined;
  abort(): void;
}

interface ReadOptions {
  readonly range?: ByteRange | undefined;
  /** The expected size of the whole object. */
  readonly bytes?: number | undefined;
  /** Maximum silence of the server, in milliseconds. */
  readonly silenceMs?: number | undefined;
}

/**
 * Returns the bytes of an object, or a part of it. A connection that ends too soon is resumed where it was; if that
 * fails, the stream fails, so that a truncated download is never taken for whole. `client` answers before the body is
 * there. Throws S3Failure if the object or the range does not exist, or the object has another size than `bytes`.
 */
export async function readObject(
  client: S3Client,
  object: S3Object,
  { range, bytes, silenceMs = SILENCE_MS }: ReadOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  const gone = new AbortController();
  const open = (part: ByteRange | undefined, etag: string | undefined) =>
    openAt(client, object, { part, etag, silenceMs, gone: gone.signal });
  let body = await open(range, undefined);
  const { end, etag, total } = body;
  if (bytes !== undefined && !Number.isNaN(total) && total !== bytes) {
    body.abort();
    throw failure(object, `it has ${total} of ${bytes} bytes`, { status: 200 });
  }
  let at = body.first;
  let resumedAt = at;
  let resumes = 0;

  /** Returns the next bytes, or undefined at the end. */
  const next = async (): Promise<Uint8Array | undefined> => {
    for (;;) {
      try {
        const { done, value } = await readWithin(body, silenceMs);
        if (value !== undefined && value.byteLength > 0 && at + value.byteLength <= end) {
          at += value.byteLength;
          return value;
        }
        if (done && at === end) return undefined;
        if (!done && value.byteLength === 0) continue;
        throw new Error(done ? 'it ended too soon' : 'it has too many bytes');
      } catch (error) {
        body.abort();
        gone.signal.throwIfAborted();
        // All bytes have arrived; only the end of the connection was irregular.
        if (at === end) return undefined;
        resumes = at - resumedAt >= PROGRESS_BYTES ? 1 : resumes + 1;
        if (resumes > MAX_RESUMES)
          throw failure(object, `it was interrupted at byte ${at}, in several attempts`, { cause: error });
        resumedAt = at;
        body = await open({ first: at, last: end - 1 }, etag);
      }
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = await next();
          if (chunk === undefined) return controller.close();
          noteStreamed(chunk.byteLength);
          controller.enqueue(chunk);
        } catch (error) {
          controller.error(toServiceError('The file could not be read.', error));
        }
      },
      cancel: (reason) => gone.abort(reason),
    },
    { highWaterMark: 0 },
  );
}

interface OpenAt {
  part: ByteRange | undefined;
  etag: string | undefined;
  silenceMs: number;
  /** Ends the request, and the body. */
  gone: AbortSignal;
}

async function openAt(client: S3Client, object: S3Object, { part, etag, silenceMs, gone }: OpenAt): Promise<OpenBody> {
  const abort = new AbortController();
  const get = new GetObjectCommand({
    ...object,
    ...(part && { Range: `bytes=${part.first}-${part.last}` }),
    ...(etag !== undefined && { IfMatch: etag }),
  });
  const answer = await client.send(get, {
    requestTimeout: silenceMs,
    abortSignal: AbortSignal.any([abort.signal, gone]),
  });
  const length = answer.ContentLength ?? Number.NaN;
  const [first, end, total] = part === undefined ? [0, length, length] : placeOf(answer);
  const isAsked = part === undefined ? !Number.isNaN(end) : first === part.first && end - 1 === part.last;
  if (answer.Body === undefined || !isAsked) {
    abort.abort();
    const reason = part && `bytes ${part.first} to ${part.last} were asked for, not ${answer.ContentRange ?? 'all'}`;
    const status = answer.$metadata.httpStatusCode;
    throw failure(object, reason ?? 'no Content-Length', status === undefined ? {} : { status });
  }
  return {
    reader: answer.Body.transformToWebStream().getReader(),
    first,
    end,
    total,
    // A weak one matches nothing.
    etag: answer.ETag?.startsWith('"') ? answer.ETag : undefined,
    abort: () => abort.abort(),
  };
}

function placeOf({ ContentRange = '' }: GetObjectCommandOutput): [first: number, end: number, total: number] {
  const [first = Number.NaN, last = Number.NaN, total = Number.NaN] = (
    /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(ContentRange) ?? []
  )
    .slice(1)
    .map(Number);
  return [first, last + 1, total];
}

/** Returns the next bytes of a body; aborts one that is silent for too long. */
async function readWithin({ reader, abort }: OpenBody, silenceMs: number) {
  const timer = setTimeout(abort, silenceMs);
  try {
    return await reader.read();
  } finally {
    clearTimeout(timer);
  }
}

function failure(object: S3Object, reason: string, details: { status?: number; cause?: unknown }): S3Failure {
  return new S3Failure(`GET ${JSON.stringify(object.Key)}`, reason, details);
}
