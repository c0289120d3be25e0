import { type Pack, pack } from 'tar-stream';
import { noteStreamed } from './release-memory.ts';

/** The latest time that fits the header of the library. */
const MAX_MTIME_S = 2 ** 31 - 1;

/** A file of an archive. */
export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
  /** Seconds since 1970. */
  readonly modified: number;
  /** Opens the content. */
  readonly open: () => Promise<Blob | ReadableStream<Uint8Array>>;
}

/**
 * Returns files as a tar archive, which reads them on demand. Its stream fails with the error of a file, or if a file has
 * another size than announced; the archive is then incomplete.
 */
export async function* packTar(entries: AsyncIterable<TarEntry>): AsyncGenerator<Uint8Array, void, void> {
  const archive = pack();
  const reader = new AbortController();
  const filled = fill(archive, entries, reader.signal).catch((error: Error) => archive.destroy(error));
  try {
    for await (const chunk of archive as AsyncIterable<Uint8Array>) yield chunk;
  } finally {
    reader.abort();
    archive.destroy();
    // The current file is closed by then.
    await filled;
  }
}

async function fill(archive: Pack, entries: AsyncIterable<TarEntry>, left: AbortSignal): Promise<void> {
  for await (const entry of entries) {
    if (left.aborted) return;
    await add(archive, entry, left);
  }
  if (!left.aborted) archive.finalize();
}

async function add(archive: Pack, { name, bytes, modified, open }: TarEntry, left: AbortSignal): Promise<void> {
  const mtime = new Date(Math.min(modified, MAX_MTIME_S) * 1000);
  let proceed = () => {};
  const sink = archive.entry({ name, size: bytes, mtime });
  sink.on('drain', () => proceed());
  sink.on('close', () => proceed());
  // The reader of the archive gets this error.
  sink.on('error', () => {});
  const opened = await open();
  let missing = bytes;
  for await (const chunk of opened instanceof Blob ? opened.stream() : opened) {
    if (left.aborted) return;
    missing -= chunk.byteLength;
    if (missing < 0) break;
    noteStreamed(chunk.byteLength);
    if (sink.write(chunk)) continue;
    await new Promise<void>((resolve) => {
      proceed = resolve;
    });
  }
  if (left.aborted) return;
  if (missing !== 0)
    throw new Error(`${name} was announced with ${bytes} bytes, and has ${missing < 0 ? 'more' : bytes - missing}`);
  await new Promise<void>((resolve) => {
    proceed = resolve;
    // The types require a chunk.
    sink.end(null);
  });
}
