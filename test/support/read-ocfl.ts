import { listOcflObjects } from '../../src/packages/ocfl/list-objects.ts';
import { readOcflObject } from '../../src/packages/ocfl/read-object.ts';
import type { Package } from '../../src/packages/package.ts';

/** The objects of an OCFL storage root, or the one object whose folder it is. */
export async function* readOcfl(path: string, signal?: AbortSignal): AsyncGenerator<Package> {
  for await (const folder of listOcflObjects(path)) yield readOcflObject(folder, signal);
}
