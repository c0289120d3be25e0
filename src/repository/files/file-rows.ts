import type { InStatement } from '@libsql/client';
import { and, eq } from 'drizzle-orm';
import { isUnnamedType } from '../../base/recognize-type.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { reserveIds } from '../../database/reserve-ids.ts';
import { type FileRow, files } from '../../database/schema/files.ts';
import { requireOne } from '../../database/sql.ts';
import { type Named, prepare, type Statement } from '../../database/statement.ts';
import type { Actor } from '../actor.ts';
import type { BaseServices } from '../base-services.ts';
import type { RemovalServices } from '../removal-task.ts';
import { removeReferencesTo } from '../remove-references-to.ts';
import { retrying } from '../retrying.ts';
import { type DiscardQueue, recordDiscarded } from './discarded.ts';
import type { FileEntity } from './find-file.ts';
import type { IngestedBytes } from './ingest.ts';
import { storedInOf, storeOf } from './scheme.ts';

/** A file to save. */
export interface NewFile {
  readonly id: number;
  readonly uuid: string;
  readonly uri: string;
  readonly filename: string;
  readonly filemime: string;
  readonly ingested: IngestedBytes;
  /** The action of the derivative rules that made it. */
  readonly madeBy?: string | undefined;
  /** The original values of an imported file. */
  readonly ownerId?: number;
  readonly langcode?: string;
  readonly created?: number;
  readonly changed?: number;
}

/** The number of ids per reservation, which costs a commit. */
const IDS_AT_ONCE = 32;

/** Returns the next reserved id for a new file. */
export type FileIds = () => Promise<number>;

/** Reserves ids for files, so that a media can be saved together with its new file. An unused id remains a gap. */
export function createFileIds({ write }: Database): FileIds {
  let next = 0;
  let end = 0;
  let taking: Promise<void> | undefined;

  async function take(): Promise<void> {
    const { last } = await write(reserveIds('file', IDS_AT_ONCE));
    end = Number(last[0]?.highest) + 1;
    next = end - IDS_AT_ONCE;
  }

  return async () => {
    while (next >= end) {
      taking ??= take().finally(() => {
        taking = undefined;
      });
      await taking;
    }
    return next++;
  };
}

const insert = prepare((file: Named<Omit<FileRow, 'released'>>) => {
  const { id, uuid, ownerId, langcode, filename, uri, filemime, recognizedType, filesize, status } = file;
  const { created, changed, version, storageKey, storedIn, sha256, madeBy, width, height } = file;
  return query.insert(files).values({
    ...{ id, uuid, ownerId, langcode, filename, uri, filemime, recognizedType, filesize, status },
    ...{ created, changed, version, storageKey, storedIn, sha256, madeBy, width, height },
  });
});

/**
 * Returns the statement that inserts a new file, owned by the actor by default. `isPermanent`: the same transaction
 * saves an entity that refers to it; else the file is temporary.
 */
export function insertFile({ now, model }: BaseServices, actor: Actor, file: NewFile, isPermanent = false): Statement {
  const { id, uuid, uri, filename, filemime, ingested } = file;
  const { staged, store, size } = ingested;
  const { ownerId = actor.id, langcode = model.defaultLanguage, created = now(), changed = created } = file;
  return insert({
    ...{ id, uuid, ownerId, langcode, filename, uri, filemime, status: isPermanent, created, changed, version: 1 },
    recognizedType: recognizedTypeOf(filemime, ingested),
    ...{ filesize: staged.bytes, storageKey: staged.key, sha256: staged.sha256, storedIn: storedInOf(uri, store.name) },
    ...{ madeBy: file.madeBy ?? null, width: size?.width ?? null, height: size?.height ?? null },
  });
}

/** Returns the type of bytes that are stored without one, for `recognizedType`. */
export function recognizedTypeOf(filemime: string, { recognizedType }: IngestedBytes): string | null {
  return isUnnamedType(filemime) ? (recognizedType ?? null) : null;
}

const removeVersion = prepare(({ id, version }: Named<{ id: number; version: number }>) =>
  query.delete(files).where(and(eq(files.id, id), eq(files.version, version))),
);

/**
 * Removes a file: the row first, then the bytes (decision 90). Referring entities lose the reference.
 * `check` throws if the file must not be removed. `before` returns the first statements of the transaction.
 */
export async function removeFile(
  services: BaseServices & Pick<RemovalServices, 'removals'> & { readonly discards: DiscardQueue },
  read: () => Promise<FileEntity>,
  check: (file: FileEntity) => void,
  before: (file: FileEntity) => Promise<readonly InStatement[]> = async () => [],
): Promise<void> {
  const removed = await retrying(undefined, async () => {
    const file = await read();
    check(file);
    const { row } = file;
    await services.database.write([...(await before(file)), ...removalOfFile(row)]);
    return row;
  });
  services.removals.wake();
  services.discards.add(storeOf(removed), removed.storageKey);
}

/** Returns the statements that remove a file. Add its object to `DiscardQueue` after the commit. */
export function removalOfFile(row: FileRow): InStatement[] {
  return [
    removeVersion({ id: row.id, version: row.version }),
    requireOne('stale'),
    ...removeReferencesTo('file', JSON.stringify([row.id])),
    recordDiscarded(storeOf(row), row.storageKey),
  ];
}
