import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { codeOf } from '../../base/errors.ts';
import { PackageError } from './package.ts';
import { shown } from './package-path.ts';

const CHUNK_BYTES = 256 * 1024;

/** The bytes of a file on disk. Throws PackageError if it is a link, or anything but a file, by now. */
export async function* readFileBytes(path: string): AsyncGenerator<Uint8Array> {
  // What was a file when it was looked at may be a pipe now, and would be waited for.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      if (codeOf(error) === 'ELOOP') throw new PackageError(`${shown(path)} is a link; the file itself must be there.`);
      throw error;
    },
  );
  try {
    if (!(await handle.stat()).isFile()) throw new PackageError(`${shown(path)} is not a file; it must be one.`);
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** A small file of text, checked to be UTF-8. Throws PackageError for one that is not, or that is longer than `maxBytes`. */
export async function readText(source: AsyncIterable<Uint8Array>, name: string, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes)
      throw new PackageError(`${name} is longer than ${maxBytes} bytes, which is the most it may be.`);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new PackageError(`${name} is no UTF-8; it must be.`, { cause });
  }
}
