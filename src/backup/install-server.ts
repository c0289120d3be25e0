import type { Client, InStatement, InValue } from '@libsql/client';
import Libsql from 'libsql';
import { BackupError, withReason } from './errors.ts';
import {
  connectToServer,
  KEY_OF_TABLE,
  keyColumns,
  OWN_INDEXES_AND_TRIGGERS,
  OWN_TABLES,
  type OwnTable,
  quoted,
  type ServerAddress,
} from './server-client.ts';

/** Stands in a database that is being restored, or whose restore was broken off. */
export const RESTORING_TABLE = 'restore_under_way';
/** Made last: without it no program takes the database for a repository. */
const LEDGER = 'migration';
/** What is sent at a time. A server takes a few megabytes. */
const BATCH_ROWS = 500;
const BATCH_BYTES = 1_000_000;

/** Throws BackupError for a database on a server that holds something other than a restore that was broken off. */
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

/** Puts the database of a file onto a server whose database is empty, or on which a restore was broken off. */
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

/** A restore that was broken off begins anew. */
async function clear(client: Client): Promise<void> {
  await client.execute(`CREATE TABLE IF NOT EXISTS ${RESTORING_TABLE} (started TEXT)`);
  for (const table of await tablesOf(client))
    if (table !== RESTORING_TABLE) await client.execute(`DROP TABLE ${quoted(table)}`);
}

function* rowsOf(source: Libsql.Database, table: OwnTable): Generator<InStatement[]> {
  const name = quoted(table.name);
  const columns = source
    .prepare(`SELECT * FROM ${name}`)
    .columns()
    .map((column) => quoted(column.name));
  const key = keyColumns(table, (of) => source.prepare(KEY_OF_TABLE).raw(true).all([of]).flat() as string[]);
  const all = key[0] === 'rowid' ? ['rowid', ...columns] : columns;
  const sql = `INSERT INTO ${name} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`;
  const select = source
    .prepare(`SELECT ${all.join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`)
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

/** The highest id that each table has ever had: what was deleted is not given out again. */
function sequencesOf(source: Libsql.Database): InStatement[] {
  const all = source.prepare('SELECT name, seq FROM sqlite_sequence').raw(true);
  // Whole numbers as such: this table has no types that would make them so.
  const rows = all.safeIntegers(true).all() as [string, bigint][];
  return [
    'DELETE FROM sqlite_sequence',
    ...rows.map(([name, seq]) => ({ sql: 'INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', args: [name, seq] })),
  ];
}
