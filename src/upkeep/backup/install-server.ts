import type { Client, InStatement, InValue } from '@libsql/client';
import { getTableName, sql } from 'drizzle-orm';
import Libsql from 'libsql';
import { query } from '../../database/query-builder.ts';
import { appliedMigrations, sequences } from '../../database/sqlite-tables.ts';
import { plain, resultOf, statementOf } from '../../database/statement.ts';
import type { CopiedTable } from './copied-table.ts';
import { rowsIn } from './database-file.ts';
import { BackupError, withReason } from './errors.ts';
import {
  connectToServer,
  createEmpty,
  insertSequence,
  listIndexesAndTriggers,
  listSequences,
  type ServerAddress,
  tableIn,
  tablesOf,
} from './snapshot-server.ts';

/** A table of databases that are being restored, or whose restore was interrupted. */
export const RESTORING_TABLE = 'restore_under_way';
/** The table that is created last: without it, no program treats the database as a repository. */
const LEDGER = getTableName(appliedMigrations);
/** Maximum size of a batch. A server limits the size of its requests. */
const BATCH_ROWS = 500;
const BATCH_BYTES = 1_000_000;

/** Throws BackupError unless the database of a server is empty or has an interrupted restore. */
export async function requireEmptyServer(server: ServerAddress): Promise<void> {
  const client = connectToServer(server);
  try {
    const tables = await withReason(`The database ${server.url} cannot be read`, () => tablesOn(client));
    if (tables.length > 0 && !tables.some(({ name }) => name === RESTORING_TABLE))
      throw new BackupError(
        `The database ${server.url} already has tables: a backup can only be restored into an empty one.`,
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
    const tables = await tablesOf((list) => rowsIn(source, list));
    for (const table of tables.filter(({ name }) => name !== LEDGER)) {
      await client.execute(createEmpty(table));
      if (table.kind === 'virtual') continue;
      for (const statements of rowsOf(source, tableIn(source, table))) {
        await client.batch(statements, 'write');
        onRows(statements.length);
      }
    }
    for (const { definition } of [...rowsIn(source, listIndexesAndTriggers())]) await client.execute(definition);
    const ledger = tables
      .filter(({ name }) => name === LEDGER)
      .flatMap((table) => [table.definition, ...[...rowsOf(source, tableIn(source, table))].flat()]);
    await client.batch([...sequencesOf(source), ...ledger, dropTable(RESTORING_TABLE)], 'write');
  } finally {
    client.close();
    source.close();
  }
}

function tablesOn(client: Client): ReturnType<typeof tablesOf> {
  return tablesOf(async (list) => resultOf(list, await client.execute(list)));
}

/** Removes the tables of an interrupted restore. */
async function clear(client: Client): Promise<void> {
  const restoring = sql.identifier(RESTORING_TABLE);
  await client.execute(statementOf(plain(sql`CREATE TABLE IF NOT EXISTS ${restoring} (started TEXT)`)));
  for (const { name, kind } of await tablesOn(client))
    if (name !== RESTORING_TABLE && kind !== 'shadow') await client.execute(dropTable(name));
}

function dropTable(name: string): InStatement {
  return statementOf(plain(sql`DROP TABLE ${sql.identifier(name)}`));
}

function* rowsOf(source: Libsql.Database, { table, key, insert: sql }: CopiedTable): Generator<InStatement[]> {
  const ordered = statementOf(
    query
      .select()
      .from(table)
      .orderBy(...key),
  );
  const select = source.prepare(ordered.sql).raw(true).safeIntegers(true);
  let batch: InStatement[] = [];
  let bytes = 0;
  for (const row of select.iterate() as Iterable<InValue[]>) {
    const args = [...row];
    batch.push({ sql, args });
    for (const value of args) bytes += sizeOf(value);
    if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Returns the statements that set the highest id that each table has had. */
function sequencesOf(source: Libsql.Database): InStatement[] {
  return [
    statementOf(query.delete(sequences)),
    // The columns of this table have no type, so that numbers of JavaScript would be stored as reals.
    ...Array.from(rowsIn(source, listSequences()), ({ name, highest }) =>
      insertSequence({ name, highest: BigInt(highest) }),
    ),
  ];
}

function sizeOf(value: InValue): number {
  if (typeof value === 'string') return value.length;
  return value instanceof Uint8Array ? value.byteLength : 8;
}
