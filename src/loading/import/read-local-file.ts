import { open } from 'node:fs/promises';

const CHUNK_BYTES = 256 * 1024;

/** The bytes of a file of this machine, in pieces. Throws what the system says. */
export async function* readLocalFile(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  const file = await open(path, 'r');
  try {
    // Most files of a collection of images are larger, most of its texts are not.
    for (let size = CHUNK_BYTES / 4; ; size = CHUNK_BYTES) {
      signal.throwIfAborted();
      // Each its own: whoever looks at an image keeps parts of it.
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(size), 0, size);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
