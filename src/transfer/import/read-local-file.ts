import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

const CHUNK_BYTES = 256 * 1024;

/** A link in the place of a file is not followed, and no pipe is waited for. */
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** What is at a path is not the file that was there. */
export class FileReplaced extends Error {
  override readonly name = 'FileReplaced';
}

/**
 * The bytes of a file of this machine, in pieces, by its real path. Throws FileReplaced where links lead to it by now or
 * it is no file any more, and what the system says.
 */
export async function* readLocalFile(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile() || (await realpath(dirname(path))) !== dirname(path))
      throw new FileReplaced(path);
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
