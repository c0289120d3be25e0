import type { Database } from '../../database/database.ts';
import { STORE_OF_ROW } from './store-of-row.ts';

/** What has to be known of a file to move its bytes. */
export interface StoredBytesOfFile {
  readonly id: number;
  readonly uri: string;
  readonly version: number;
  readonly filesize: number;
  readonly sha256: string;
  readonly storageKey: string;
  /** The scheme in whose storage they are (`storeOf`). */
  readonly store: string;
}

export interface FileCount {
  readonly files: number;
  readonly bytes: number;
}

/** So many ids are looked through at a time, so that no query of a large table takes long. */
const IDS_AT_ONCE = 50_000;
/** Rows that are in memory at once. */
const PAGE_ROWS = 500;

const COLUMNS = `id, uri, version, filesize, sha256, storage_key, ${STORE_OF_ROW}`;

/** The files whose bytes are in the storage of a scheme, by id, those that there are when it begins; at most `limit`. */
export async function* listStoredFiles(
  database: Database,
  store: string,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<StoredBytesOfFile, void, void> {
  const last = await lastId(database);
  let left = limit;
  for (let after = 0; after < last && left > 0; ) {
    const end = Math.min(after + IDS_AT_ONCE, last);
    const rows = Math.min(PAGE_ROWS, left);
    const page = await database.client.execute({
      sql: `SELECT ${COLUMNS} FROM file WHERE ${STORE_OF_ROW} = ?1 AND id > ?2 AND id <= ?3 ORDER BY id LIMIT ?4`,
      args: [store, after, end, rows],
    });
    const files = page.rows.map((row) => fileOf(row as unknown as Columns));
    yield* files;
    left -= files.length;
    after = files.length === rows ? (files.at(-1) as StoredBytesOfFile).id : end;
  }
}

/**
 * Where the bytes of a file are now, or undefined if it was removed. Asked as a write, so that no replica of the database
 * answers that is behind.
 */
export async function findStoredFile(database: Database, id: number): Promise<StoredBytesOfFile | undefined> {
  const [result] = await database.write([{ sql: `SELECT ${COLUMNS} FROM file WHERE id = ?`, args: [id] }]);
  const row = result?.rows[0];
  return row && fileOf(row as unknown as Columns);
}

/** How many files have their bytes in the storage of a scheme; of the first `limit` of them. */
export async function countStoredFiles(
  database: Database,
  store: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<FileCount> {
  const last = await lastId(database);
  let files = 0;
  let bytes = 0;
  for (let after = 0; after < last && files < limit; after += IDS_AT_ONCE) {
    const rows = Math.min(IDS_AT_ONCE, limit - files);
    const found = await database.first(
      `SELECT count(*), coalesce(sum(filesize), 0) FROM
        (SELECT filesize FROM file WHERE ${STORE_OF_ROW} = ?1 AND id > ?2 AND id <= ?3 ORDER BY id LIMIT ?4)`,
      [store, after, after + IDS_AT_ONCE, rows],
    );
    files += Number(found?.[0]);
    bytes += Number(found?.[1]);
  }
  return { files, bytes };
}

async function lastId(database: Database): Promise<number> {
  return Number((await database.first('SELECT coalesce(max(id), 0) FROM file', []))?.[0]);
}

type Columns = [id: number, uri: string, version: number, bytes: number, sha256: string, key: string, store: string];

function fileOf([id, uri, version, filesize, sha256, storageKey, store]: Columns): StoredBytesOfFile {
  return { id, uri, version, filesize, sha256, storageKey, store };
}
