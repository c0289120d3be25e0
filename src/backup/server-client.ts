import { type Client, createClient } from '@libsql/client/http';

/** A database on a libSQL server. */
export interface ServerAddress {
  readonly url: string;
  readonly authToken: string | undefined;
}

/** A client whose numbers are exact, whatever they are. */
export function connectToServer({ url, authToken }: ServerAddress): Client {
  return createClient({ url, intMode: 'bigint', ...(authToken !== undefined && { authToken }) });
}

/** A table, and the statement that makes it. */
export interface OwnTable {
  readonly name: string;
  readonly sql: string;
}

/** The tables whose rows are the repository's own, not those of SQLite or of the server. */
export const OWN_TABLES = `SELECT name, sql FROM sqlite_master WHERE type = 'table'
  AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'libsql\\_%' ESCAPE '\\'`;
/** What is made after the rows: triggers would act on each of them, indexes would be kept up with each. */
export const OWN_INDEXES_AND_TRIGGERS = `SELECT sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL
  AND tbl_name NOT LIKE 'libsql\\_%' ESCAPE '\\' ORDER BY type, name`;

/** The columns by which the rows of a table are told apart, as SQL; its definition says whether it has row ids. */
export function keyColumns({ name, sql }: OwnTable, namesOfKey: (table: string) => readonly string[]): string[] {
  return /\bWITHOUT\s+ROWID\b/i.test(sql) ? namesOfKey(name).map(quoted) : ['rowid'];
}

/** The names of the columns of a primary key, for `keyColumns`; its parameter is the table. */
export const KEY_OF_TABLE = 'SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk';

/** A name in SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
