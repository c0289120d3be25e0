import { noteStreamed } from '../base/release-memory.ts';
import { S3Failure, toServiceError } from './s3-failure.ts';
import type { S3Requests } from './s3-request.ts';
import { PATIENCE_TO_READ, type Patience, withRetries } from './s3-retry.ts';
import type { ByteRange } from './storage.ts';

/** For the head of an answer, and for each next bytes of its body. */
const SILENCE_MS = 15_000;
/** How often a download is taken up again without getting on, and what getting on is. */
const MAX_RESUMES = 5;
const PROGRESS_BYTES = 1024 * 1024;

const MESSAGE = 'The file could not be read.';

/** A body that has begun, and what is known of the whole. */
interface Opened {
  reader: ReadableStreamDefaultReader<Uint8Array>;
  /** The first byte and the one behind the last, in the object. */
  first: number;
  end: number;
  etag: string | null;
  abort(): void;
}

export interface ReadOptions {
  patience?: Patience | undefined;
  silenceMs?: number | undefined;
}

/**
 * The bytes of an object, or a part of it. A connection that breaks off or ends too soon is taken up again where it
 * was; if that cannot be done, the stream fails, so that nobody takes what is missing for the end. Throws S3Failure for
 * an object that is not there or has no such range.
 */
export async function readObject(
  requests: S3Requests,
  name: string,
  range: ByteRange | undefined,
  { patience = PATIENCE_TO_READ, silenceMs = SILENCE_MS }: ReadOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  const gone = new AbortController();
  const open = (from: number | undefined, last: number | undefined, etag: string | null) =>
    withRetries(patience, gone.signal, () =>
      openAt(requests, name, { from, last, etag, silenceMs, gone: gone.signal }),
    );
  let body = await open(range?.first, range?.last, null);
  const { end, etag } = body;
  let at = body.first;
  let resumedAt = at;
  let resumes = 0;

  /** The next bytes; undefined at the end. */
  const next = async (): Promise<Uint8Array | undefined> => {
    for (;;) {
      try {
        const { done, value } = await spoken(body, silenceMs);
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
        // All bytes are there; only the end of the connection was not as it should be.
        if (at === end) return undefined;
        resumes = at - resumedAt >= PROGRESS_BYTES ? 1 : resumes + 1;
        if (resumes > MAX_RESUMES) throw cutAt(name, at, error);
        resumedAt = at;
        body = await open(at, end - 1, etag);
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
          controller.error(toServiceError(MESSAGE, error));
        }
      },
      cancel: (reason) => gone.abort(reason),
    },
    { highWaterMark: 0 },
  );
}

interface OpenAt {
  from: number | undefined;
  last: number | undefined;
  etag: string | null;
  silenceMs: number;
  /** Ends the request, and the body too. */
  gone: AbortSignal;
}

async function openAt(requests: S3Requests, name: string, options: OpenAt): Promise<Opened> {
  const { from, last, etag, silenceMs, gone } = options;
  const abort = new AbortController();
  const tooLong = setTimeout(() => abort.abort(new Error('no answer')), silenceMs);
  let answer: Response;
  try {
    const headers = {
      ...(from !== undefined && { range: `bytes=${from}-${last}` }),
      ...(etag !== null && { 'if-match': etag }),
    };
    answer = await requests.open({ method: 'GET', name, headers, signal: AbortSignal.any([abort.signal, gone]) });
  } finally {
    clearTimeout(tooLong);
  }
  const [first, behind] = from === undefined ? wholeOf(answer) : partOf(answer);
  if (answer.body === null || Number.isNaN(behind) || (from !== undefined && (first !== from || behind - 1 !== last))) {
    abort.abort();
    const range = answer.headers.get('content-range');
    throw new S3Failure(
      `GET ${JSON.stringify(name)}`,
      from === undefined ? 'no Content-Length' : `bytes ${from} to ${last} were asked for, not ${range ?? 'all'}`,
      { status: answer.status },
    );
  }
  const tag = answer.headers.get('etag');
  return {
    reader: answer.body.getReader(),
    first,
    end: behind,
    // A weak one matches nothing.
    etag: tag?.startsWith('"') ? tag : null,
    abort: () => abort.abort(),
  };
}

function wholeOf({ status, headers }: Response): [number, number] {
  return [0, status === 200 ? Number(headers.get('content-length') ?? Number.NaN) : Number.NaN];
}

function partOf({ headers }: Response): [number, number] {
  const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(headers.get('content-range') ?? '') ?? [];
  return [Number(first ?? Number.NaN), Number(last ?? Number.NaN) + 1];
}

/** The next bytes of a body; one that says nothing for long is broken off. */
async function spoken({ reader, abort }: Opened, silenceMs: number) {
  const timer = setTimeout(abort, silenceMs);
  try {
    return await reader.read();
  } finally {
    clearTimeout(timer);
  }
}

function cutAt(name: string, at: number, cause: unknown): S3Failure {
  return new S3Failure(`GET ${JSON.stringify(name)}`, `it broke off at byte ${at}, again and again`, { cause });
}
