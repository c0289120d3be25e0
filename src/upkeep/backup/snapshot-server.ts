import { rm } from 'node:fs/promises';
import type { Transaction } from '@libsql/client';
import { type Client, createClient } from '@libsql/client/http';
import { and, eq, getTableColumns, inArray, isNotNull, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { type SQLiteColumn, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import Libsql from 'libsql';
import { codeOf } from '../../base/errors.ts';
import { query } from '../../database/query-builder.ts';
import { master, sequences } from '../../database/sqlite-tables.ts';
import { type Named, plain, prepare, resultOf, type Statement, statementOf } from '../../database/statement.ts';
import { type CopiedTable, stored } from './copied-table.ts';
import { copyTableAsBytes } from './copy-table-as-bytes.ts';
import { rowsIn, runIn } from './database-file.ts';

/** A database on a libSQL server. */
export interface ServerAddress {
  readonly url: string;
  readonly authToken: string | undefined;
}

/** Connects to a server. Integers are exact, of any size. */
export function connectToServer({ url, authToken }: ServerAddress): Client {
  return createClient({ url, intMode: 'bigint', ...(authToken !== undefined && { authToken }) });
}

const { type, name, table: owner, sql: definition } = master;
const isOwn = (column: SQLWrapper) => sql`${column} NOT LIKE 'libsql\\_%' ESCAPE '\\'`;

/** Finds the tables of the repository; excludes those of SQLite and of the server. */
const listTables = prepare(() =>
  query
    .select({ name, definition: sql<string>`${definition}` })
    .from(master)
    .where(and(eq(type, 'table'), sql`${name} NOT LIKE 'sqlite\\_%' ESCAPE '\\'`, isOwn(name))),
);
const findTables = listTables();

/** A table to copy. */
interface SourceTable {
  readonly name: string;
  readonly definition: string;
  /** A virtual table has no rows of its own: they are in its shadow tables, which it creates. */
  readonly kind: 'ordinary' | 'virtual' | 'shadow';
}

/** Returns the tables of the repository, virtual ones first, by a function that runs a query. */
export async function tablesOf(
  all: (
    list: Statement<{ name: string; definition: string }[]>,
  ) => Iterable<RowOfTable> | Promise<Iterable<RowOfTable>>,
): Promise<SourceTable[]> {
  const tables = [...(await all(findTables))];
  const virtual = tables.filter(({ definition: text }) => /^CREATE VIRTUAL TABLE/i.test(text));
  const isShadow = (table: string) => virtual.some((owned) => table.startsWith(`${owned.name}_`));
  const others = tables.filter((table) => !virtual.includes(table));
  return [
    ...virtual.map((table) => ({ ...table, kind: 'virtual' as const })),
    ...others.map((table) => ({ ...table, kind: isShadow(table.name) ? ('shadow' as const) : ('ordinary' as const) })),
  ];
}

type RowOfTable = { readonly name: string; readonly definition: string };

/** Returns the statement that creates an empty table: a shadow table exists with initial rows. */
export function createEmpty({ name: table, definition: text, kind }: SourceTable): string {
  return kind === 'shadow' ? statementOf(plain(sql`DELETE FROM ${sql.identifier(table)}`)).sql : text;
}

/** Finds what is created after the rows: triggers would run for each row, and indexes would be updated with each. */
export const listIndexesAndTriggers = prepare(() =>
  query
    .select({ definition: sql<string>`${definition}` })
    .from(master)
    .where(and(inArray(type, ['index', 'trigger']), isNotNull(definition), isOwn(owner)))
    .orderBy(type, name),
);
const listColumns = prepare(({ table }: Named<{ table: string }>) =>
  query
    .select({ name: sql<string>`name`, keyIndex: sql<number>`pk` })
    .from(sql`pragma_table_info(${table})`)
    .orderBy(sql`pk`),
);
/** Finds the highest id that each table has had, so that a copy does not reuse the ids of deleted rows. */
export const listSequences = prepare(() =>
  query.select({ name: sequences.name, highest: sql<bigint>`${sequences.highest}` }).from(sequences),
);
export const insertSequence = prepare((values: Named<{ name: string; highest: bigint }>) =>
  query.insert(sequences).values({ name: values.name, highest: values.highest }),
);

/** Returns a table of a database file. */
export function tableIn(
  file: Libsql.Database,
  own: { readonly name: string; readonly definition: string },
): CopiedTable {
  const columns = [...rowsIn(file, listColumns({ table: own.name }))];
  const hasRowId = !/\bWITHOUT\s+ROWID\b/i.test(own.definition);
  const names = [...(hasRowId ? ['rowid'] : []), ...columns.map((column) => column.name)];
  // A column without a conversion: values keep the types that the database has stored.
  const table = sqliteTable(own.name, Object.fromEntries(names.map((column) => [column, text(column)])));
  const keyNames = hasRowId ? ['rowid'] : columns.filter(({ keyIndex }) => keyIndex > 0).map((column) => column.name);
  const places = Object.fromEntries(names.map((column) => [column, sql.placeholder(column)]));
  const { sql: insert } = statementOf(query.insert(table).values(places));
  return { table, key: keyNames.map((column) => getTableColumns(table)[column] as SQLiteColumn), insert };
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
  try {
    await copyDatabase(server, into, onRows, copyTable);
  } catch (error) {
    if (!/HTTP status 500/.test(String(error))) throw error;
    // So a server answers for a text that is not valid UTF-8, and its transaction is lost: again with bytes.
    await rm(into, { force: true });
    await copyDatabase(server, into, onRows, copyTableAsBytes);
  }
}

type CopyTable = (
  source: Transaction,
  target: Libsql.Database,
  table: CopiedTable,
  onRows: (count: number) => void,
) => Promise<void>;

async function copyDatabase(
  server: ServerAddress,
  into: string,
  onRows: (count: number) => void,
  copy: CopyTable,
): Promise<void> {
  const client = connectToServer(server);
  const target = new Libsql(into);
  try {
    // After a power failure the backup starts again with a new file.
    target.pragma('journal_mode = OFF');
    target.pragma('synchronous = OFF');
    const source = await client.transaction('read');
    try {
      target.exec('BEGIN');
      const all = async <Row>(list: Statement<Row[]>) => resultOf(list, await source.execute(list));
      for (const table of await tablesOf(all)) {
        target.exec(createEmpty(table));
        if (table.kind !== 'virtual') await copy(source, target, tableIn(target, table), onRows);
      }
      runIn(target, statementOf(query.delete(sequences)));
      for (const sequence of await all(listSequences())) runIn(target, insertSequence(sequence));
      for (const part of await all(listIndexesAndTriggers())) target.exec(part.definition);
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
  { table, key, insert: insertText }: CopiedTable,
  onRows: (count: number) => void,
): Promise<void> {
  const insert = target.prepare(insertText);
  const keyText = sql.join([...key], sql`, `);
  let last: SQL | undefined;
  let pageRows = FIRST_PAGE_ROWS;
  for (;;) {
    const after = last && sql`(${keyText}) > (${last})`;
    const select = statementOf(
      query
        .select()
        .from(table)
        .where(after)
        .orderBy(...key)
        .limit(pageRows),
    );
    const page = await source.execute(select).catch((error: unknown) => {
      // A server limits the size of its responses.
      if (pageRows === 1 || !isTooMuch(error)) throw error;
      return undefined;
    });
    if (page === undefined) {
      pageRows = Math.ceil(pageRows / 4);
      continue;
    }
    const rows = resultOf(select, page);
    for (const row of rows) insert.run(Object.values(row).map(stored));
    const final = rows.at(-1);
    if (final !== undefined)
      last = sql.join(
        key.map((column) => sql`${final[column.name]}`),
        sql`, `,
      );
    if (rows.length < pageRows) return onRows(rows.length);
    onRows(rows.length);
    pageRows = Math.min(pageRows * 2, MAX_PAGE_ROWS);
  }
}

function isTooMuch(error: unknown): boolean {
  return codeOf(error) === 'RESPONSE_TOO_LARGE' || /response is too large/i.test(String(error));
}
