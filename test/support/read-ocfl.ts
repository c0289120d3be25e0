import type { Package } from '../../src/transfer/files/package.ts';
import { listOcflObjects } from '../../src/transfer/ocfl/ocfl-root.ts';
import { readOcflObject } from '../../src/transfer/ocfl/read-object.ts';

/** The objects of an OCFL storage root, or the one object whose folder it is. */
export async function* readOcfl(path: string, signal?: AbortSignal): AsyncGenerator<Package> {
  for await (const folder of listOcflObjects(path)) yield readOcflObject(folder, signal);
}
