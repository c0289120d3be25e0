import { and, asc, count, eq, gt, lte, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { type FileRow, files } from '../../database/schema/files.ts';
import { uploadParts } from '../../database/schema/uploads.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { BaseServices } from '../base-services.ts';
import type { Schemes } from './scheme.ts';

/** A file with the object that holds its bytes. */
export interface StoredBytesOfFile
  extends Pick<FileRow, 'id' | 'uri' | 'version' | 'filesize' | 'sha256' | 'storageKey'> {
  /** The scheme whose storage holds the object (`storeOf`). */
  readonly store: string;
}

export interface FileCount {
  readonly files: number;
  readonly bytes: number;
}

/** Maximum number of ids that one query searches, so that no query of a large table takes long. */
const IDS_AT_ONCE = 50_000;
/** Maximum number of rows in memory. */
const PAGE_ROWS = 500;

/** The expression for the scheme whose storage holds the bytes of a row of `files` (`storeOf`). */
export const storeOfRow = sql<string>`coalesce(${files.storedIn}, substr(${files.uri}, 1, instr(${files.uri}, '://') - 1))`;

const { id, uri, version, filesize, sha256, storageKey } = files;
const columns = { id, uri, version, filesize, sha256, storageKey, store: storeOfRow };

/** A range of the files of a store, by id. */
type Range = Named<{ store: string; after: number; end: number; limit: number }>;

const isInRange = ({ store, after, end }: Range) => and(eq(storeOfRow, store), gt(id, after), lte(id, end));
const listRange = prepare((range: Range) =>
  query.select(columns).from(files).where(isInRange(range)).orderBy(asc(id)).limit(range.limit),
);
const countRange = prepare((range: Range) => {
  const counted = query.select({ filesize }).from(files).where(isInRange(range)).orderBy(id).limit(range.limit);
  const stores = counted.as('found');
  return query.select({ files: count(), bytes: sql<number>`coalesce(sum(${stores.filesize}), 0)` }).from(stores);
});
const findById = prepare((named: Named<{ id: number }>) => query.select(columns).from(files).where(eq(id, named.id)));
const findLastId = prepare(() => query.select({ id: sql<number>`coalesce(max(${id}), 0)` }).from(files));
const findKeys = prepare(({ keys }: Named<{ keys: string }>) =>
  query
    .select({ storageKey })
    .from(files)
    .where(isAmong(storageKey, keys))
    .unionAll(
      query
        .select({ storageKey: uploadParts.storageKey })
        .from(uploadParts)
        .where(isAmong(uploadParts.storageKey, keys)),
    ),
);

/** Yields the files in the storage of a scheme, by id; at most `limit`. Skips files that are added later. */
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
    const page = await database.all(listRange({ store, after, end, limit: rows }));
    yield* page;
    left -= page.length;
    after = page.length === rows ? (page.at(-1) as StoredBytesOfFile).id : end;
  }
}

/** Returns a file as it is now; undefined if it was removed. Reads in a write, since a replica may be behind. */
export async function findStoredFile({ write }: Database, id: number): Promise<StoredBytesOfFile | undefined> {
  const { rows } = await write({ rows: findById({ id }) });
  return rows[0];
}

/** Counts the files in the storage of a scheme, or the first `limit` of them. */
export async function countStoredFiles(
  database: Database,
  store: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<FileCount> {
  const last = await lastId(database);
  const sum = { files: 0, bytes: 0 };
  for (let after = 0; after < last && sum.files < limit; after += IDS_AT_ONCE) {
    const rows = Math.min(IDS_AT_ONCE, limit - sum.files);
    const row = await database.get(countRange({ store, after, end: after + IDS_AT_ONCE, limit: rows }));
    sum.files += row?.files ?? 0;
    sum.bytes += row?.bytes ?? 0;
  }
  return sum;
}

/**
 * Returns those of the storage keys that the row of a file, or of a part of an upload, has. Reads in a write, since a replica may be behind: callers
 * remove the other objects.
 */
export async function referredKeys({ database }: BaseServices, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await database.write({ rows: findKeys({ keys: JSON.stringify(keys) }) });
  return new Set(rows.map(({ storageKey }) => storageKey));
}

async function lastId(database: Database): Promise<number> {
  return (await database.get(findLastId()))?.id ?? 0;
}

const next = alias(files, 'next');
/** The lowest URI after those of a scheme: `0` follows `/`. */
const NEXT = sql`(SELECT min(${next.uri}) FROM ${files} ${next} WHERE ${next.uri} >= scheme.name || ':0')`;
const schemeOf = (uri: SQL) => sql`substr(${uri}, 1, instr(${uri}, '://') - 1)`;

/** Finds the names of all stores. It reads one index entry per store, for any number of files. */
const stores = prepare(() =>
  plain(
    sql`WITH RECURSIVE scheme (name) AS (
        SELECT ${schemeOf(sql`uri`)} FROM (SELECT min(${files.uri}) AS uri FROM ${files}) WHERE uri IS NOT NULL
        UNION ALL
        SELECT ${schemeOf(NEXT)} FROM scheme WHERE ${NEXT} IS NOT NULL),
      moved (name) AS (
        SELECT min(${files.storedIn}) FROM ${files} WHERE ${files.storedIn} IS NOT NULL
        UNION ALL
        SELECT (SELECT min(${files.storedIn}) FROM ${files} WHERE ${files.storedIn} > moved.name)
          FROM moved WHERE moved.name IS NOT NULL)
      SELECT name FROM scheme UNION SELECT name FROM moved WHERE name IS NOT NULL`,
    { name: sql<string>`name` },
  ),
);

/** Returns the schemes of files, in their URIs or as their stores, that are not configured. */
export async function unconfiguredStores({ database, schemes }: BaseServices & Schemes): Promise<string[]> {
  const rows = await database.all(stores());
  return rows.map(({ name }) => name).filter((name) => !schemes.has(name));
}
