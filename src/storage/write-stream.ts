import type { FileHandle } from 'node:fs/promises';
import { onDisk } from './errors.ts';
import { readSource } from './read-source.ts';
import type { StoredBytes } from './storage.ts';

/** Half of this size reduces writing from 850 to 400 MB/s. A small upload uses one buffer, others two. */
const BUFFER_BYTES = 1024 * 1024;
/** The maximum number of idle buffers that are kept for the next upload. */
const MAX_IDLE_BUFFERS = 8;

/** Buffers that uploads reuse, so that many small ones do not burden the garbage collector. */
export interface BufferPool {
  take(): Buffer;
  giveBack(buffer: Buffer): void;
}

/** Creates a pool that keeps a few idle buffers and allocates more on demand. */
export function createBufferPool(): BufferPool {
  const idle: Buffer[] = [];
  return {
    take: () => idle.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES),
    giveBack(buffer) {
      if (idle.length < MAX_IDLE_BUFFERS) idle.push(buffer);
    },
  };
}

/** Writes to a file through two buffers: one is filled while the other is written. */
interface BufferedWriter {
  /** Copies a chunk. Resolves when there is room for the next one. Rejects with errors of the system. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Resolves when everything has been passed to the system. */
  flush(): Promise<void>;
  /** Waits for a running write and returns the buffers. Must be called before the file is closed. */
  release(): Promise<void>;
}

/** Creates a writer at the beginning of an open file. */
function createBufferedWriter(file: FileHandle, pool: BufferPool): BufferedWriter {
  let filling = pool.take();
  let filledBytes = 0;
  let other: Buffer | undefined;
  // A failure is kept as a value: the promise is not awaited meanwhile.
  let underWay: Promise<{ error: unknown } | undefined> = Promise.resolve(undefined);

  const landed = async () => {
    const failure = await underWay;
    if (failure !== undefined) throw failure.error;
  };
  const send = async () => {
    await landed();
    const full = filling;
    underWay = writeAll(file, full.subarray(0, filledBytes)).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    filling = other ?? pool.take();
    other = full;
    filledBytes = 0;
  };
  const spread = async (chunk: Uint8Array) => {
    for (let taken = 0; taken < chunk.byteLength; ) {
      const part = chunk.subarray(taken, taken + filling.byteLength - filledBytes);
      filling.set(part, filledBytes);
      filledBytes += part.byteLength;
      taken += part.byteLength;
      if (filledBytes === filling.byteLength) await send();
    }
  };
  return {
    write: (chunk) => {
      // Most chunks only fill a buffer, without a promise to wait for.
      if (chunk.byteLength >= filling.byteLength - filledBytes) return spread(chunk);
      filling.set(chunk, filledBytes);
      filledBytes += chunk.byteLength;
      return undefined;
    },
    async flush() {
      if (filledBytes > 0) await send();
      await landed();
    },
    async release() {
      await underWay;
      pool.giveBack(filling);
      if (other !== undefined) pool.giveBack(other);
    },
  };
}

/** Writes all bytes. A write may be partial on a full disk; the next one then fails. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.byteLength - written);
    if (bytesWritten === 0) throw Object.assign(new Error('the system took no bytes'), { code: 'ENOSPC' });
    written += bytesWritten;
  }
}

interface WriteOptions {
  pool: BufferPool;
  signal: AbortSignal | undefined;
  /** Called while the stream is written, so that a long upload can give signs of life. */
  onProgress(): Promise<void>;
}

/**
 * Writes a stream to a file and hashes it, with at most two buffers and a chunk in memory. Rejects with the stream's own
 * error, the reason of the abort, `storage-full` or `storage-failed`.
 */
export async function writeStream(
  file: FileHandle,
  source: AsyncIterable<Uint8Array>,
  { pool, signal, onProgress }: WriteOptions,
): Promise<StoredBytes> {
  const toDisk = (work: () => Promise<void>) => onDisk('The file could not be stored.', work);
  const writer = createBufferedWriter(file, pool);
  const landed = async (writing: Promise<void>) => {
    await toDisk(() => writing);
    await toDisk(onProgress);
  };
  try {
    const stored = await readSource(source, signal, (chunk) => {
      const writing = writer.write(chunk);
      return writing === undefined ? undefined : landed(writing);
    });
    await toDisk(() => writer.flush());
    return stored;
  } finally {
    await writer.release();
  }
}
