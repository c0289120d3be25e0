import { ServiceError } from '../../base/errors.ts';
import { byteText } from '../../base/in-words.ts';
import type { Services } from '../content/services.ts';
import { type Scheme, storeForNew } from '../files/scheme.ts';
import { mediaTypeOf } from '../media/media-type-of.ts';
import type { NewUpload } from './create-upload.ts';
import { storeOfParts } from './receive-parts.ts';

/** Bytes that will be written to a store. */
interface NeededRoom {
  readonly store: Scheme;
  readonly bytes: number;
}

/**
 * Throws `storage-full` if a disk has less free space than all that will be written to it. Checks nothing for stores that
 * do not tell how much room they have, such as buckets.
 */
export async function requireRoom(needs: readonly NeededRoom[]): Promise<void> {
  const disks = new Map<string, { readonly freeBytes: number; needed: number }>();
  for (const { store, bytes } of needs) {
    const space = await store.storage.disk?.();
    if (space === undefined) continue;
    const disk = disks.get(space.id) ?? { freeBytes: space.freeBytes, needed: 0 };
    disk.needed += bytes;
    disks.set(space.id, disk);
  }
  for (const { freeBytes, needed } of disks.values()) if (needed > freeBytes) throw noRoom(needed, freeBytes);
}

function noRoom(needed: number, freeBytes: number): ServiceError {
  return new ServiceError(
    'storage-full',
    `The server has no room for this file. It needs ${byteText(needed)} of space until it is saved, and ${byteText(freeBytes)} are free.`,
  );
}

/**
 * Throws `storage-full` for an upload that is larger than the free space, before any of its bytes are sent. The parts stay
 * until the file that they are joined to is saved, so a file needs its size twice if both are on one disk. Other unfinished
 * uploads do not count: most of those that are interrupted for long are never continued.
 */
export async function requireRoomForUpload(services: Services, { filename, bytes }: NewUpload): Promise<void> {
  const parts = storeOfParts(services);
  const scheme = services.schemes.get(mediaTypeOf(services.model, filename)?.sourceField.uriScheme ?? 'public');
  const file = scheme === undefined ? parts : storeForNew(services, scheme);
  await requireRoom([
    { store: parts, bytes },
    { store: file, bytes },
  ]);
}
