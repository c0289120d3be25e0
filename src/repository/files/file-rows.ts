import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { reserveIds } from '../../database/reserve-ids.ts';
import { type FileRow, files } from '../../database/schema/files.ts';
import { type Named, prepare, type Statement } from '../../database/statement.ts';
import type { Actor } from '../actor.ts';
import type { BaseServices } from '../base-services.ts';
import type { Ingested } from './ingest.ts';
import { storedInOf } from './scheme.ts';

/** A file that is about to be saved. */
export interface NewFile {
  readonly id: number;
  readonly uuid: string;
  readonly uri: string;
  readonly filename: string;
  readonly filemime: string;
  readonly ingested: Ingested;
  /** Facts of an imported file. */
  readonly ownerId?: number;
  readonly langcode?: string;
  readonly created?: number;
  readonly changed?: number;
}

/** How many ids are reserved at a time: each reservation costs a commit, as much as a whole upload. */
const IDS_AT_ONCE = 32;

/** Returns the next reserved id for a new file. */
export type FileIds = () => Promise<number>;

/**
 * Reserves ids for files, so that a media can be saved together with its new file. An unused id remains a gap.
 */
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

const insert = prepare((file: Named<FileRow>) => {
  const { id, uuid, ownerId, langcode, filename, uri, filemime, filesize, status } = file;
  const { created, changed, version, storageKey, storedIn, sha256, width, height } = file;
  return query.insert(files).values({
    ...{ id, uuid, ownerId, langcode, filename, uri, filemime, filesize, status },
    ...{ created, changed, version, storageKey, storedIn, sha256, width, height },
  });
});

/**
 * Returns the statement that inserts a new file, owned by the actor unless it says otherwise. `isPermanent`: something that
 * refers to it is saved in the same transaction. A temporary file is one that nothing refers to yet.
 */
export function insertFile({ now, model }: BaseServices, actor: Actor, file: NewFile, isPermanent = false): Statement {
  const { id, uuid, uri, filename, filemime, ingested } = file;
  const { staged, store, size } = ingested;
  const { ownerId = actor.id, langcode = model.defaultLanguage, created = now(), changed = created } = file;
  return insert({
    ...{ id, uuid, ownerId, langcode, filename, uri, filemime, status: isPermanent, created, changed, version: 1 },
    ...{ filesize: staged.bytes, storageKey: staged.key, sha256: staged.sha256, storedIn: storedInOf(uri, store.name) },
    ...{ width: size?.width ?? null, height: size?.height ?? null },
  });
}
