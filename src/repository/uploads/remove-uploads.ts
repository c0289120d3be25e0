import type { BaseServices } from '../base-services.ts';
import type { DiscardQueue } from '../files/discarded.ts';
import {
  discardParts,
  findExpired,
  findParts,
  noteOrphaned,
  removeExpiredRows,
  removeOrphaned,
  removeUploadRow,
} from './upload-rows.ts';

/** Maximum number of expired uploads that one call removes: it runs within requests. */
const MAX_REMOVED = 20;

type RemovingServices = BaseServices & { readonly discards: DiscardQueue };

/** Removes an upload and its parts. Returns false if it no longer exists. */
export async function removeUpload({ database, discards }: RemovingServices, id: string): Promise<boolean> {
  const { parts, removed } = await database.write({
    parts: findParts({ id }),
    discarded: discardParts(id),
    removed: removeUploadRow({ id }),
  });
  for (const { scheme, storageKey } of parts) discards.add(scheme, storageKey);
  return removed.length > 0;
}

/**
 * Removes uploads that have expired, and their parts. Returns how many: there may be more after `MAX_REMOVED`. Runs when
 * an upload is created, at each start, and in `repo gc`.
 */
export async function removeExpiredUploads({ database, discards, now }: RemovingServices): Promise<number> {
  const time = now();
  const expired = await database.all(findExpired({ now: time, limit: MAX_REMOVED }));
  if (expired.length === 0) return 0;
  const ids = JSON.stringify(expired.map(({ id }) => id));
  const { rows, parts } = await database.write({
    rows: removeExpiredRows({ ids, now: time }),
    noted: noteOrphaned({ ids }),
    parts: removeOrphaned({ ids }),
  });
  for (const { scheme, storageKey } of parts) discards.add(scheme, storageKey);
  return rows.changes;
}

/** Removes all expired uploads, and returns how many. */
export async function removeAllExpiredUploads(services: RemovingServices): Promise<number> {
  let removed = 0;
  for (;;) {
    const count = await removeExpiredUploads(services);
    removed += count;
    if (count < MAX_REMOVED) return removed;
  }
}
