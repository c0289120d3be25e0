import { setTimeout } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import type { TableUploadFolders } from './table-upload-folders.ts';
import { listFolders, listOldTableUploads, removeTableUpload } from './table-upload-store.ts';

/** The time for which an uploaded table is kept after its last change. */
const KEPT_SECONDS = 86_400;
const LOOK_MS = 3_600_000;

/** Removes the tables that have not changed for a day, with their files and results. */
export async function clearTableUploads(database: Database, folders: TableUploadFolders, now: number): Promise<void> {
  const before = now - KEPT_SECONDS;
  const old = await listOldTableUploads(database, before);
  for (const upload of old) {
    await folders.remove(upload.folder);
    await removeTableUpload(database, upload);
  }
  // Folders without a row: of interrupted requests.
  await folders.removeOld(before * 1_000, await listFolders(database));
}

/** Removes old tables now and then, until the signal aborts. */
export async function repeatClearing(
  database: Database,
  folders: TableUploadFolders,
  now: () => number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await clearTableUploads(database, folders, now());
    await setTimeout(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}
