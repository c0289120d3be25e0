import type { Client, InStatement, InValue } from '@libsql/client';
import Libsql from 'libsql';
import { BackupError, withReason } from './errors.ts';
import {
  connectToServer,
  OWN_INDEXES_AND_TRIGGERS,
  OWN_TABLES,
  type OwnTable,
  quoted,
  type ServerAddress,
  textOfTable,
} from './snapshot-server.ts';

// This file has SQL text for the same reason as snapshot-server.ts.

/** A table of databases that are being restored, or whose restore was interrupted. */
export const RESTORING_TABLE = 'restore_under_way';
/** The table that is created last: without it, no program treats the database as a repository. */
const LEDGER = 'migration';
/** Maximum size of a batch. A server limits the size of its requests. */
const BATCH_ROWS = 500;
const BATCH_BYTES = 1_000_000;

/** Throws BackupError unless the database of a server is empty or has an interrupted restore. */
export async function requireEmptyServer(server: ServerAddress): Promise<void> {
  const client = connectToServer(server);
  try {
    const tables = await withReason(`The database ${server.url} cannot be read`, () => tablesOf(client));
    if (tables.length > 0 && !tables.includes(RESTORING_TABLE))
      throw new BackupError(
        `There are tables in the database ${server.url} already: a backup is restored into an empty one only.`,
      );
  } finally {
    client.close();
  }
}

/** Copies the database of a file to a server whose database is empty or has an interrupted restore. */
export async function installOnServer(
  workFile: string,
  server: ServerAddress,
  onRows: (count: number) => void,
): Promise<void> {
  const source = new Libsql(workFile);
  const client = connectToServer(server);
  try {
    await clear(client);
    const all = (sql: string) => source.prepare(sql).raw(true).all() as unknown[][];
    const tables = all(OWN_TABLES).map(([name, sql]) => ({ name: String(name), sql: String(sql) }));
    const isLedger = ({ name }: { name: string }) => name === LEDGER;
    for (const table of tables.filter((each) => !isLedger(each))) {
      await client.execute(table.sql);
      for (const statements of rowsOf(source, table)) {
        await client.batch(statements, 'write');
        onRows(statements.length);
      }
    }
    const rest = all(OWN_INDEXES_AND_TRIGGERS).map(([sql]) => String(sql));
    for (const sql of rest) await client.execute(sql);
    const ledger = tables.filter(isLedger).flatMap((table) => [table.sql, ...[...rowsOf(source, table)].flat()]);
    await client.batch([...sequencesOf(source), ...ledger, `DROP TABLE ${RESTORING_TABLE}`], 'write');
  } finally {
    client.close();
    source.close();
  }
}

async function tablesOf(client: Client): Promise<string[]> {
  return (await client.execute(OWN_TABLES)).rows.map((row) => String(row[0]));
}

/** Removes the tables of an interrupted restore. */
async function clear(client: Client): Promise<void> {
  await client.execute(`CREATE TABLE IF NOT EXISTS ${RESTORING_TABLE} (started TEXT)`);
  for (const table of await tablesOf(client))
    if (table !== RESTORING_TABLE) await client.execute(`DROP TABLE ${quoted(table)}`);
}

function* rowsOf(source: Libsql.Database, table: OwnTable): Generator<InStatement[]> {
  const { name, key, columns, insert: sql } = textOfTable(source, table);
  const select = source
    .prepare(`SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`)
    .raw(true)
    .safeIntegers(true);
  let batch: InStatement[] = [];
  let bytes = 0;
  for (const row of select.iterate() as Iterable<InValue[]>) {
    const args = [...row];
    batch.push({ sql, args });
    for (const value of args) bytes += typeof value === 'string' ? value.length : 8;
    if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Returns the statements that set the highest id that each table has had, so that ids of deleted rows are not reused. */
function sequencesOf(source: Libsql.Database): InStatement[] {
  const all = source.prepare('SELECT name, seq FROM sqlite_sequence').raw(true);
  // The columns of this table have no type, so that numbers of JavaScript would be stored as reals.
  const rows = all.safeIntegers(true).all() as [string, bigint][];
  return [
    'DELETE FROM sqlite_sequence',
    ...rows.map(([name, seq]) => ({ sql: 'INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', args: [name, seq] })),
  ];
}
