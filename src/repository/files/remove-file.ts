import { and, eq } from 'drizzle-orm';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { requireOne } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { BaseServices } from '../base-services.ts';
import { forgetReferences } from '../forget-references.ts';
import { retrying } from '../retrying.ts';
import { type DiscardQueue, noteDiscarded } from './discarded.ts';
import type { FileEntity } from './find-file.ts';
import { storeOf } from './scheme.ts';

const removeVersion = prepare(({ id, version }: Named<{ id: number; version: number }>) =>
  query.delete(files).where(and(eq(files.id, id), eq(files.version, version))),
);

/**
 * Removes a file: the row first, then the bytes (decisions: "deleting a file"). What referred to it loses the reference and
 * can still be read, changed and removed. `check` throws if the file must not be removed.
 */
export async function removeFile(
  services: BaseServices & { readonly discards: DiscardQueue },
  read: () => Promise<FileEntity>,
  check: (file: FileEntity) => void,
): Promise<void> {
  const removed = await retrying(undefined, async () => {
    const file = await read();
    check(file);
    const { row } = file;
    await services.database.write([
      removeVersion({ id: row.id, version: row.version }),
      requireOne('stale'),
      ...forgetReferences('file', JSON.stringify([row.id])),
      noteDiscarded(storeOf(row), row.storageKey),
    ]);
    return row;
  });
  services.discards.add(storeOf(removed), removed.storageKey);
}
