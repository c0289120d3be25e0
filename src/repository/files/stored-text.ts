import { type FitsFacts, fitsFacts } from '../../base/fits-facts.ts';
import type { FileRow } from '../../database/schema/files.ts';
import { streamOf } from '../../storage/read-source.ts';
import type { BaseServices } from '../base-services.ts';
import { type Schemes, type StoredFile, storageOf } from './scheme.ts';

/** The maximum size of a part: other requests may proceed between two parts. */
const PART_BYTES = 64 * 1024;

/** Yields the text of a stored file in UTF-8, in parts. Throws `storage-failed` for a missing file. */
export async function* storedText(
  services: Schemes,
  file: StoredFile & { readonly storageKey: string; readonly bytes: number },
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  const body = await storageOf(services, file).storage.read(file.storageKey, undefined, file.bytes);
  for await (const chunk of streamOf(body))
    for (let start = 0; start < chunk.byteLength; start += PART_BYTES)
      yield decoder.decode(chunk.subarray(start, start + PART_BYTES), { stream: true });
  yield decoder.decode();
}

/** The facts come before the output of the tools, and take a few kilobytes. */
const MAX_BYTES = 128 * 1024;

/** Returns the facts of a FITS file. Undefined for a file of another format, and for an unreadable file, which is reported. */
export async function readFits(
  services: BaseServices & Schemes,
  row: Pick<FileRow, 'uri' | 'storedIn' | 'storageKey' | 'filesize'>,
): Promise<FitsFacts | undefined> {
  if (row.filesize === 0) return undefined;
  const range = { first: 0, last: Math.min(row.filesize, MAX_BYTES) - 1 };
  try {
    const body = await storageOf(services, row).storage.read(row.storageKey, range);
    return fitsFacts(await new Response(body).text());
  } catch (error) {
    services.warn(`cannot read the technical metadata in ${row.uri}`, error);
    return undefined;
  }
}
