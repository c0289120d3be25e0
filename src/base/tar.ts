import { type Pack, pack } from 'tar-stream';
import { noteStreamed } from './release-memory.ts';

/** A later time does not fit the header as the library writes it. */
const MAX_MTIME_S = 2 ** 31 - 1;

/** A file of an archive. */
export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
  /** Seconds since 1970. */
  readonly modified: number;
  /** Opens what it holds. */
  readonly open: () => Promise<Blob | ReadableStream<Uint8Array>>;
}

/**
 * Files as a tar archive, read no faster than the archive is. Throws what reading them throws, and an error for a
 * file that has not as many bytes as it was announced with: the archive is then without its end.
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
    // What is being read is closed by then.
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
  // That of the archive, which its reader is told of.
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
    // Nothing more: the types ask for a chunk.
    sink.end(null);
  });
}
