import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { asc, count, isNotNull, max, sql } from 'drizzle-orm';
import Libsql from 'libsql';
import AsyncDatabase from 'libsql/promise';
import { DamageLog } from '../../database/damaged-text.ts';
import { prepareSafely } from '../../database/local/safe-statement.ts';
import { query } from '../../database/query-builder.ts';
import { derivativeJobs } from '../../database/schema/derivatives.ts';
import { files } from '../../database/schema/files.ts';
import { runs } from '../../database/schema/runs.ts';
import {
  discardedObjects,
  objectHolds,
  secrets,
  secrets as secretTable,
  settings,
} from '../../database/schema/system.ts';
import { uploadParts, uploads } from '../../database/schema/uploads.ts';
import { usageClicks, usageSalts } from '../../database/schema/usage.ts';
import { floodEvents, mailChanges, passwordResets, sessions } from '../../database/schema/users.ts';
import { appliedMigrations } from '../../database/sqlite-tables.ts';
import { prepare, type Statement, statementOf } from '../../database/statement.ts';
import { MARKER_SETTING } from '../../repository/files/store-markers.ts';
import { storeOfRow } from '../../repository/files/stored-files.ts';
import { syncFolder } from '../../storage/real-folder.ts';
import type { StoredBytes } from '../../storage/storage.ts';

/** Runs a query on the database of a file, which no server uses, and returns its rows one by one. */
export function* rowsIn<Row>(file: Libsql.Database, { sql, args, toRow }: Statement<Row[]>): Generator<Row> {
  const { statement, decode } = prepareSafely(file, sql, new DamageLog());
  const rows = statement.iterate(args) as Iterable<Parameters<NonNullable<typeof toRow>>[0]>;
  for (const values of rows) yield toRow?.(decode(values)) as Row;
}

/** Runs a statement without rows on the database of a file. */
export function runIn(file: Libsql.Database, { sql, args }: Statement): void {
  file.prepare(sql).run(args);
}

/**
 * Writes a snapshot of a database file to another file, without blocking writers or this process. The snapshot is as large
 * as the database.
 */
export async function snapshotFile(database: string, into: string): Promise<void> {
  const connection = new AsyncDatabase(database, {});
  try {
    await connection.pragma('busy_timeout = 5000', {});
    // SQL text: Drizzle has no query for it, and `exec` runs in another thread.
    await connection.exec(`VACUUM INTO '${into.replaceAll("'", "''")}'`);
  } finally {
    connection.close();
  }
}

/**
 * Makes a restored database the repository's own, at a path in the same folder. Deletes its secrets, which are files
 * beside it again.
 */
export async function installDatabaseFile(workFile: string, target: string): Promise<void> {
  const database = new Libsql(workFile);
  try {
    database.pragma('secure_delete = ON');
    runIn(database, statementOf(query.delete(secrets)));
  } finally {
    database.close();
  }
  const handle = await open(workFile, 'r+');
  await handle.sync().finally(() => handle.close());
  // SQLite would apply the log of a previous database to this one.
  for (const suffix of ['-wal', '-shm']) await rm(`${target}${suffix}`, { force: true });
  await rename(workFile, target);
  await syncFolder(dirname(target));
}

/** Removes a snapshot, and the files that SQLite leaves beside it when the disk is full. */
export async function removeSnapshot(file: string): Promise<void> {
  for (const suffix of ['', '-journal', '-wal', '-shm']) await rm(`${file}${suffix}`, { force: true });
}

/** Removes what belongs to the processes and browsers of that moment, and would be invalid elsewhere. */
const SCRUB = [
  query.delete(sessions),
  query.delete(passwordResets),
  query.delete(mailChanges),
  query.delete(floodEvents),
  query.delete(objectHolds),
  // The backup does not include these objects.
  query.delete(discardedObjects),
  // Beside the salts of their day, the hashes of visitors would tell their addresses.
  query.delete(usageSalts),
  query.delete(usageClicks),
  query.delete(uploads),
  query.delete(uploadParts),
  // The stores of a restored repository get markers of their own.
  query.delete(settings).where(sql`${settings.name} LIKE ${`${MARKER_SETTING}%`}`),
  query
    .update(derivativeJobs)
    .set({ lease: null, availableAt: sql`${derivativeJobs.createdAt}` })
    .where(isNotNull(derivativeJobs.lease)),
  query.update(runs).set({ lease: null, leaseUntil: null }),
];

/**
 * Removes temporary data from a snapshot, adds the secrets of the installation that were files beside the database, and
 * returns the facts about it that its manifest contains.
 */
export function prepareSnapshot(file: string, secrets: ReadonlyMap<string, string>) {
  const database = new Libsql(file);
  try {
    database.pragma('journal_mode = DELETE');
    // Overwrites deleted rows, which free pages would keep.
    database.pragma('secure_delete = ON');
    database.transaction(() => {
      for (const change of SCRUB) runIn(database, statementOf(change));
      for (const [name, value] of secrets)
        runIn(database, statementOf(query.insert(secretTable).values({ name, value })));
    })();
    return readFacts(database);
  } finally {
    database.close();
  }
}

const countByStore = prepare(() =>
  query
    .select({ store: storeOfRow, files: count(), bytes: sql<number>`sum(${files.filesize})` })
    .from(files)
    .groupBy(storeOfRow),
);
const latestMigration = prepare(() => query.select({ name: max(appliedMigrations.name) }).from(appliedMigrations));

function readFacts(database: Libsql.Database) {
  const stores = [...rowsIn(database, countByStore())];
  const [latest] = [...rowsIn(database, latestMigration())];
  return {
    migration: String(latest?.name),
    files: {
      count: stores.reduce((sum, each) => sum + each.files, 0),
      bytes: stores.reduce((sum, each) => sum + each.bytes, 0),
    },
    stores: Object.fromEntries(stores.map(({ store, ...sums }) => [store, sums])),
  };
}

/** A file of a snapshot and the object that holds its bytes. */
export interface StoredFile extends StoredBytes {
  readonly id: number;
  readonly uri: string;
  readonly store: string;
  readonly key: string;
}

const listFiles = prepare(() =>
  query
    .select({
      id: files.id,
      uri: files.uri,
      store: storeOfRow,
      key: files.storageKey,
      bytes: files.filesize,
      sha256: files.sha256,
    })
    .from(files)
    .orderBy(asc(files.sha256), asc(files.id)),
);

/**
 * Returns the files of a database file, to which no process writes, in the order of their checksums. SQLite sorts them on
 * the disk, since there may be millions.
 */
export function* storedFilesOf(file: string): Generator<StoredFile> {
  const database = new Libsql(file);
  try {
    database.pragma('temp_store = FILE');
    yield* rowsIn(database, listFiles());
  } finally {
    database.close();
  }
}
