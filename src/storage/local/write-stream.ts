import type { FileHandle } from 'node:fs/promises';
import { type BufferPool, createBufferedWriter } from '../buffered-writer.ts';
import { onDisk } from '../errors.ts';
import { readSource } from '../read-source.ts';
import type { StoredBytes } from '../storage.ts';

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
