import { forgetReferences } from '../content/remove-content.ts';
import { retrying } from '../content/save-content.ts';
import type { Services } from '../services.ts';
import { noteDiscarded } from './discarded.ts';
import type { FileEntity } from './find-file.ts';
import { storeOf } from './scheme.ts';

/**
 * Removes a file: the row first, then the bytes (decisions: "deleting a file"). What referred to it loses that
 * reference and can still be read, changed and removed.
 */
export async function removeFile(
  services: Services,
  read: () => Promise<FileEntity>,
  check: (file: FileEntity) => void,
): Promise<void> {
  const removed = await retrying(undefined, async () => {
    const file = await read();
    check(file);
    const { row } = file;
    await services.database.write([
      { sql: 'DELETE FROM file WHERE id = ? AND version = ?', args: [row.id, row.version] },
      { sql: 'INSERT INTO guard (stale) SELECT 1 WHERE changes() <> 1', args: [] },
      ...forgetReferences('file', JSON.stringify([row.id])),
      noteDiscarded(storeOf(row), row.storageKey),
    ]);
    return row;
  });
  services.discards.add(storeOf(removed), removed.storageKey);
}
