import { noteStreamed } from '../base/release-memory.ts';
import type { StoredBytes } from './storage.ts';

/** Returns the body of an object as a stream. */
export function streamOf(body: Blob | ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return body instanceof Blob ? body.stream() : body;
}

/**
 * Reads a stream to its end and hashes it on the way. `take` receives each chunk; its promise is awaited before the
 * next is read. Rejects with the stream's own error, that of `take`, or the reason of the abort; the stream is then
 * ended.
 */
export async function readSource(
  source: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
  take?: (chunk: Uint8Array) => Promise<void> | undefined,
): Promise<StoredBytes> {
  const hasher = new Bun.CryptoHasher('sha256');
  const chunks = source[Symbol.asyncIterator]();
  const abortable = createAbortable(signal);
  let bytes = 0;
  let hasEnded = false;
  try {
    for (;;) {
      const { done, value } = await abortable.wait(chunks.next());
      if (done) break;
      hasher.update(value);
      bytes += value.byteLength;
      noteStreamed(value.byteLength);
      const taking = take?.(value);
      if (taking !== undefined) await taking;
    }
    hasEnded = true;
  } finally {
    abortable.end();
    if (!hasEnded) endStream(chunks);
  }
  return { bytes, sha256: hasher.digest('hex') };
}

/** Creates a function that waits for work that cannot be aborted, at most until the signal aborts. */
function createAbortable(signal: AbortSignal | undefined): { wait<T>(work: Promise<T>): Promise<T>; end(): void } {
  // One listener and one promise serve the whole stream, since it may have thousands of chunks.
  let giveUp: ((reason: unknown) => void) | undefined;
  const onAbort = () => giveUp?.(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    wait(work) {
      if (signal === undefined) return work;
      return new Promise((resolve, reject) => {
        giveUp = reject;
        work.then(resolve, reject);
        if (signal.aborted) onAbort();
      });
    },
    end: () => signal?.removeEventListener('abort', onAbort),
  };
}

/**
 * Ends a stream without waiting, since a source that hangs would delay the clean-up. Ignores its errors: the caller
 * receives the original one.
 */
function endStream(chunks: AsyncIterator<Uint8Array>): void {
  chunks.return?.().catch(() => undefined);
}
