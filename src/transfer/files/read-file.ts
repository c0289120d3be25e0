import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { codeOf } from '../../base/errors.ts';
import { PackageError } from './package.ts';
import { shown } from './package-path.ts';

const CHUNK_BYTES = 256 * 1024;

/** Reads the bytes of a file. Throws PackageError if it is a link, or no file. */
export async function* readFileBytes(path: string): AsyncGenerator<Uint8Array> {
  // A pipe may have replaced the file since it was listed. O_NONBLOCK prevents waiting for its writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      if (codeOf(error) === 'ELOOP') throw new PackageError(`${shown(path)} is a link; it must be a file.`);
      throw error;
    },
  );
  try {
    if (!(await handle.stat()).isFile()) throw new PackageError(`${shown(path)} is not a file.`);
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

/** Reads a small text file. Throws PackageError if it is not UTF-8, or longer than `maxBytes`. */
export async function readText(source: AsyncIterable<Uint8Array>, name: string, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new PackageError(`${name} is longer than ${maxBytes} bytes, the maximum.`);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new PackageError(`${name} is not UTF-8.`, { cause });
  }
}
