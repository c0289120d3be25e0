import type { InStatement } from '@libsql/client';
import type { Database } from '../../database/database.ts';
import { reserveIds } from '../../database/reserve-ids.ts';
import type { Actor } from '../actor.ts';
import type { Target } from '../content/targets.ts';
import type { Services } from '../services.ts';
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
}

/** So many ids are taken at a time: to take one costs a commit, which a whole upload needs only one of. */
const IDS_AT_ONCE = 32;

/** Hands out ids for new files. */
export type FileIds = () => Promise<number>;

/**
 * Ids for files, so that what refers to a new file can be saved together with it. One that is not used after all is a
 * gap and nothing more; so are those that a process has left when it ends.
 */
export function createFileIds({ write }: Database): FileIds {
  let next = 0;
  let end = 0;
  let taking: Promise<void> | undefined;

  async function take(): Promise<void> {
    const results = await write(reserveIds('file', IDS_AT_ONCE));
    end = Number(results[1]?.rows[0]?.[0]) + 1;
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

/** The row of a new file. It is temporary until something refers to it; `isPermanent`: something that is saved with it. */
export function insertFile({ now, model }: Services, actor: Actor, file: NewFile, isPermanent = false): InStatement {
  const { staged, store, size } = file.ingested;
  const columns = [
    ...['id', 'uuid', 'owner_id', 'langcode', 'filename', 'uri', 'filemime', 'filesize', 'status'],
    ...['created', 'changed', 'version', 'storage_key', 'stored_in', 'sha256', 'width', 'height'],
  ];
  const time = now();
  return {
    sql: `INSERT INTO file (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    args: [
      ...[file.id, file.uuid, actor.id, model.defaultLanguage, file.filename, file.uri, file.filemime, staged.bytes],
      ...[isPermanent ? 1 : 0, time, time, 1, staged.key, storedInOf(file.uri, store.name), staged.sha256],
      ...[size?.width ?? null, size?.height ?? null],
    ],
  };
}

/** What a reference to a new file that is saved with it needs to know of it. */
export function targetOf(actor: Actor, { id, uuid, uri, filename, filemime, ingested }: NewFile): Target {
  const { staged, store, size } = ingested;
  return {
    type: 'file',
    id,
    uuid,
    bundle: '',
    ownerId: actor.id,
    status: true,
    version: 1,
    file: {
      uri,
      filename,
      filemime,
      filesize: staged.bytes,
      width: size?.width ?? null,
      height: size?.height ?? null,
      storageKey: staged.key,
      storedIn: storedInOf(uri, store.name),
    },
  };
}
