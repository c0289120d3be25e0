import { type FitsFacts, fitsFacts } from '../../base/fits-facts.ts';
import type { FileRow } from '../../database/schema/files.ts';
import type { BaseServices } from '../base-services.ts';
import { type Schemes, storageOf } from './scheme.ts';

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
