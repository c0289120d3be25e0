import Libsql from 'libsql';

const BUSY_TIMEOUT_MS = 10_000;

/** Opens the database file of a running server for writes, which wait while the server writes. */
export function openBesideServer(file: string): Libsql.Database {
  const database = new Libsql(file);
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return database;
}
