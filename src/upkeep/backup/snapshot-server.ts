import type { InValue, Transaction } from '@libsql/client';
import { type Client, createClient } from '@libsql/client/http';
import Libsql from 'libsql';
import { codeOf } from '../../base/errors.ts';

/** A database on a libSQL server. */
export interface ServerAddress {
  readonly url: string;
  readonly authToken: string | undefined;
}

/** Connects to a server. Integers are exact, of any size. */
export function connectToServer({ url, authToken }: ServerAddress): Client {
  return createClient({ url, intMode: 'bigint', ...(authToken !== undefined && { authToken }) });
}

/** A table and its definition. */
export interface OwnTable {
  readonly name: string;
  readonly sql: string;
}

// This file has SQL text, since the names of tables and columns come from the databases: a snapshot and a restore copy the
// tables of any version.

/** Finds the tables of the repository; excludes those of SQLite and of the server. */
export const OWN_TABLES = `SELECT name, sql FROM sqlite_master WHERE type = 'table'
  AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'libsql\\_%' ESCAPE '\\'`;
/** Finds what is created after the rows: triggers would run for each row, and indexes would be updated with each. */
export const OWN_INDEXES_AND_TRIGGERS = `SELECT sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL
  AND tbl_name NOT LIKE 'libsql\\_%' ESCAPE '\\' ORDER BY type, name`;
const KEY_OF_TABLE = 'SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk';

/** The parts of statements that copy a table. */
export interface TableText {
  readonly name: string;
  /** The columns that identify a row. */
  readonly key: readonly string[];
  /** All columns, with the row id of a table that has one. */
  readonly columns: readonly string[];
  readonly insert: string;
}

/** Returns the parts of the statements that copy a table of a database file. */
export function textOfTable(file: Libsql.Database, { name: table, sql }: OwnTable): TableText {
  const name = quoted(table);
  const own = file.prepare(`SELECT * FROM ${name}`).columns();
  const keyNames = () => file.prepare(KEY_OF_TABLE).raw(true).all([table]).flat().map(String);
  const hasRowId = !/\bWITHOUT\s+ROWID\b/i.test(sql);
  const key = hasRowId ? ['rowid'] : keyNames().map(quoted);
  const columns = [...(hasRowId ? ['rowid'] : []), ...own.map((column) => quoted(column.name))];
  const places = columns.map(() => '?').join(', ');
  return { name, key, columns, insert: `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${places})` };
}

/** Returns a name in SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Number of rows in a page: it grows while the server sends them. */
const FIRST_PAGE_ROWS = 500;
const MAX_PAGE_ROWS = 4_000;

/**
 * Copies the database of a libSQL server into a new SQLite file in one read transaction, while other clients write.
 * `onRows` is called with the number of rows of each page. Throws errors of the server and of the driver.
 */
export async function snapshotServer(
  server: ServerAddress,
  into: string,
  onRows: (count: number) => void,
): Promise<void> {
  const client = connectToServer(server);
  const target = new Libsql(into);
  try {
    // After a power failure the backup starts again with a new file.
    target.exec('PRAGMA journal_mode = OFF');
    target.exec('PRAGMA synchronous = OFF');
    const source = await client.transaction('read');
    try {
      target.exec('BEGIN');
      const tables = (await source.execute(OWN_TABLES)).rows.map((row) => ({ name: `${row[0]}`, sql: `${row[1]}` }));
      for (const table of tables) {
        target.exec(table.sql);
        await copyTable(source, target, table, onRows);
      }
      await copySequences(source, target);
      for (const row of (await source.execute(OWN_INDEXES_AND_TRIGGERS)).rows) target.exec(String(row[0]));
      target.exec('COMMIT');
    } finally {
      source.close();
    }
  } finally {
    target.close();
    client.close();
  }
}

async function copyTable(
  source: Transaction,
  target: Libsql.Database,
  table: OwnTable,
  onRows: (count: number) => void,
): Promise<void> {
  const { name, key, columns, insert: insertText } = textOfTable(target, table);
  const keyText = key.join(', ');
  const insert = target.prepare(insertText);
  let last: InValue[] | undefined;
  let pageRows = FIRST_PAGE_ROWS;
  for (;;) {
    const after = last === undefined ? '' : `WHERE (${keyText}) > (${key.map(() => '?').join(', ')})`;
    const sql = `SELECT ${keyText}, ${columns.join(', ')} FROM ${name} ${after} ORDER BY ${keyText} LIMIT ${pageRows}`;
    const page = await source.execute({ sql, args: last ?? [] }).catch((error: unknown) => {
      // A server limits the size of its responses.
      if (pageRows === 1 || !isTooMuch(error)) throw error;
      return undefined;
    });
    if (page === undefined) {
      pageRows = Math.ceil(pageRows / 4);
      continue;
    }
    for (const row of page.rows) {
      const values = Array.from({ length: row.length }, (_, index) => row[index]);
      insert.run(values.slice(key.length).map(stored));
      last = values.slice(0, key.length) as InValue[];
    }
    if (page.rows.length < pageRows) return onRows(page.rows.length);
    onRows(page.rows.length);
    pageRows = Math.min(pageRows * 2, MAX_PAGE_ROWS);
  }
}

/** Copies the highest id that each table has had, so that ids of deleted rows are not reused. */
async function copySequences(source: Transaction, target: Libsql.Database): Promise<void> {
  target.exec('DELETE FROM sqlite_sequence');
  const { rows } = await source.execute('SELECT name, seq FROM sqlite_sequence');
  const insert = target.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)');
  for (const row of rows) insert.run([row[0], row[1]]);
}

function stored(value: unknown): unknown {
  return value instanceof ArrayBuffer ? Buffer.from(value) : value;
}

function isTooMuch(error: unknown): boolean {
  return codeOf(error) === 'RESPONSE_TOO_LARGE' || /response is too large/i.test(String(error));
}
