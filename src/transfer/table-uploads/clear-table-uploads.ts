import type { Database } from '../../database/database.ts';
import type { Work } from '../../runs/keep-working.ts';
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

/** The removal of old tables. */
export function createClearTask(database: Database, folders: TableUploadFolders, now: () => number): Work {
  return {
    failure: 'old uploads cannot be removed at present',
    lookMs: LOOK_MS,
    async step() {
      await clearTableUploads(database, folders, now());
      return false;
    },
  };
}
