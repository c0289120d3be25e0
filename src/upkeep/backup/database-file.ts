import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import AsyncDatabase from 'libsql/promise';
import { query } from '../../database/query-builder.ts';
import { secrets } from '../../database/schema/system.ts';
import { type Statement, statementOf } from '../../database/statement.ts';
import { syncFolder } from '../../storage/real-folder.ts';

/** Runs a query on the database of a file, which no server uses, and returns its rows one by one. */
export function* rowsIn<Row>(file: Libsql.Database, { sql, args, toRow }: Statement<Row[]>): Generator<Row> {
  const rows = file.prepare(sql).raw(true).iterate(args) as Iterable<Parameters<NonNullable<typeof toRow>>[0]>;
  for (const values of rows) yield toRow?.(values) as Row;
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
