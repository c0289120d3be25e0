import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';

/** A table whose columns are read at run time: a snapshot and a restore copy the tables of any version. */
export interface CopiedTable {
  /** All columns, with the row id of a table that has one. */
  readonly table: SQLiteTable;
  /** The columns that identify a row. */
  readonly key: readonly SQLiteColumn[];
  /** Inserts a row. Its parameters are the values in the order of the columns. */
  readonly insert: string;
}

/** Returns a value of the server as the driver of files takes it. */
export function stored(value: unknown): unknown {
  return value instanceof ArrayBuffer ? Buffer.from(value) : value;
}
