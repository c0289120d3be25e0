import type { Transaction } from '@libsql/client';
import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm';
import type Libsql from 'libsql';
import { plain, statementOf } from '../../database/statement.ts';
import { type CopiedTable, stored } from './copied-table.ts';

/** Number of rows in a page: bytes take a third more than texts, and a server limits the size of its responses. */
const PAGE_ROWS = 100;

/**
 * Copies a table with its texts as bytes, also those that are not valid UTF-8. `onRows` is called with the number of rows of
 * each page.
 */
export async function copyTableAsBytes(
  source: Transaction,
  target: Libsql.Database,
  { table, key }: CopiedTable,
  onRows: (count: number) => void,
): Promise<void> {
  const columns = Object.keys(getTableColumns(table));
  const names = columns.map((name) => sql.identifier(name));
  const from = sql.identifier(getTableName(table));
  const keyText = sql.join(
    key.map(({ name }) => sql.identifier(name)),
    sql`, `,
  );
  const list = sql.join(
    names.map(
      (name) => sql`typeof(${name}), CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) ELSE ${name} END`,
    ),
    sql`, `,
  );
  const quoted = columns.map((name) => `"${name}"`).join(', ');
  const values = columns.map(() => `CASE ? WHEN 'text' THEN CAST(? AS TEXT) ELSE ? END`).join(', ');
  const insert = target.prepare(`INSERT INTO "${getTableName(table)}" (${quoted}) VALUES (${values})`);
  let last: SQL | undefined;
  for (;;) {
    const after = last === undefined ? sql`` : sql` WHERE (${keyText}) > (${last})`;
    const { rows } = await source.execute(
      statementOf(plain(sql`SELECT ${list} FROM ${from}${after} ORDER BY ${keyText} LIMIT ${PAGE_ROWS}`)),
    );
    const cells = rows.map((row) =>
      columns.map((_, index) => ({ type: row[2 * index], value: stored(row[2 * index + 1]) })),
    );
    for (const row of cells) insert.run(row.flatMap(({ type, value }) => [type, value, value]));
    onRows(rows.length);
    const final = cells.at(-1);
    if (final === undefined || rows.length < PAGE_ROWS) return;
    last = sql.join(
      key.map(({ name }) => {
        const { type, value } = final[columns.indexOf(name)] as (typeof final)[number];
        return type === 'text' ? sql`CAST(${value} AS TEXT)` : sql`${value}`;
      }),
      sql`, `,
    );
  }
}
