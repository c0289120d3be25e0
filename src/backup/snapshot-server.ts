import type { InValue, Transaction } from '@libsql/client';
import Libsql from 'libsql';
import { codeOf } from '../base/errors.ts';
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

const FIRST_PAGE_ROWS = 500;
const MAX_PAGE_ROWS = 4_000;

/**
 * Copies the database of a libSQL server into a new SQLite file: all rows of one read transaction, so as they were at one
 * moment, while others go on writing. `onRows` is told how many have come. Throws what the server says, and what the
 * driver does.
 */
export async function snapshotServer(
  server: ServerAddress,
  into: string,
  onRows: (count: number) => void,
): Promise<void> {
  const client = connectToServer(server);
  const target = new Libsql(into);
  try {
    // A power cut ends the backup, and this file with it.
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
  const name = quoted(table.name);
  const columns = target
    .prepare(`SELECT * FROM ${name}`)
    .columns()
    .map((column) => quoted(column.name));
  const key = keyColumns(table, (of) => target.prepare(KEY_OF_TABLE).raw(true).all([of]).flat() as string[]);
  const keyText = key.join(', ');
  const all = key[0] === 'rowid' ? ['rowid', ...columns] : columns;
  const places = all.map(() => '?').join(', ');
  const insert = target.prepare(`INSERT INTO ${name} (${all.join(', ')}) VALUES (${places})`);
  let last: InValue[] | undefined;
  let pageRows = FIRST_PAGE_ROWS;
  for (;;) {
    const after = last === undefined ? '' : `WHERE (${keyText}) > (${key.map(() => '?').join(', ')})`;
    const sql = `SELECT ${keyText}, ${all.join(', ')} FROM ${name} ${after} ORDER BY ${keyText} LIMIT ${pageRows}`;
    const page = await source.execute({ sql, args: last ?? [] }).catch((error: unknown) => {
      // A server sends so many megabytes at a time and no more.
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

/** The highest id that each table has ever had: what was deleted is not given out again. */
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
