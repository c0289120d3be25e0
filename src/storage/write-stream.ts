import type { FileHandle } from 'node:fs/promises';
import { noteStreamed } from '../base/release-memory.ts';
import { type BufferPool, createBufferedWriter } from './buffered-writer.ts';
import { onDisk } from './errors.ts';
import type { StoredBytes } from './storage.ts';

export interface WriteOptions {
  pool: BufferPool;
  signal: AbortSignal | undefined;
  /** Called while the stream goes on, so that a long one can show that it lives. */
  onProgress(): Promise<void>;
}

/**
 * Writes a stream to a file and hashes it on the way; no more of it is in memory than two buffers and a
 * chunk. Rejects with the stream's own error, the reason of the abort, `storage-full` or `storage-failed`.
 */
export async function writeStream(
  file: FileHandle,
  source: AsyncIterable<Uint8Array>,
  { pool, signal, onProgress }: WriteOptions,
): Promise<StoredBytes> {
  const toDisk = (work: () => Promise<void>) => onDisk('The file could not be stored.', work);
  const hasher = new Bun.CryptoHasher('sha256');
  const writer = createBufferedWriter(file, pool);
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
      const writing = writer.write(value);
      if (writing === undefined) continue;
      await toDisk(() => writing);
      await toDisk(onProgress);
    }
    hasEnded = true;
    await toDisk(() => writer.flush());
  } finally {
    abortable.end();
    if (!hasEnded) leave(chunks);
    await writer.release();
  }
  return { bytes, sha256: hasher.digest('hex') };
}

/** Waits, again and again, for what cannot be stopped, but no longer than until the abort. */
function createAbortable(signal: AbortSignal | undefined): { wait<T>(work: Promise<T>): Promise<T>; end(): void } {
  // One listener for the whole stream, and one promise at a time: thousands of chunks add nothing to either.
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
 * Tells a stream that nobody reads on. Not awaited: a source that hangs would hold up the clearing. How it
 * takes the news changes nothing for the caller, who gets the error that led here.
 */
function leave(chunks: AsyncIterator<Uint8Array>): void {
  chunks.return?.().catch(() => undefined);
}
