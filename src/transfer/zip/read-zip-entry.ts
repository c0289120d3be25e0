import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { PackageError } from '../files/package.ts';
import { shown } from '../files/package-path.ts';

/**
 * The bytes of an entry, unpacked on the way, and never more of them than its archive announces. Throws PackageError at
 * the end for bytes that are not those that were packed.
 */
export async function* readZipEntry(
  path: string,
  open: () => Promise<ZipFile>,
  entry: Entry,
): AsyncGenerator<Uint8Array> {
  const fail = (why: string, cause?: unknown) =>
    new PackageError(`${path}: the entry ${shown(entry.fileName)} is damaged: ${why}.`, { cause });
  const zip = await open();
  try {
    let bytes = 0;
    let sum = 0;
    for await (const chunk of unpacked(zip, entry, fail)) {
      bytes += chunk.byteLength;
      if (bytes > entry.uncompressedSize) throw fail(`it has more than the announced ${entry.uncompressedSize} bytes`);
      sum = crc32(chunk, sum);
      yield chunk;
    }
    if (bytes !== entry.uncompressedSize)
      throw fail(`it has ${bytes} bytes of the announced ${entry.uncompressedSize}`);
    if (sum !== entry.crc32) throw fail('its checksum is not the announced one');
  } finally {
    zip.close();
  }
}

async function* unpacked(
  zip: ZipFile,
  entry: Entry,
  fail: (why: string, cause: unknown) => PackageError,
): AsyncGenerator<Uint8Array> {
  try {
    const stream = await zip.openReadStreamPromise(entry);
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw fail(error instanceof Error ? error.message : String(error), error);
  }
}
