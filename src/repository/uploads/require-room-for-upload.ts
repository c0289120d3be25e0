import type { Services } from '../content/services.ts';
import { storeForNew } from '../files/scheme.ts';
import { mediaTypeOf } from '../media/media-type-of.ts';
import type { NewUpload } from './create-upload.ts';
import { requireRoom } from './require-room.ts';
import { storeOfParts } from './store-of-parts.ts';

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
