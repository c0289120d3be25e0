import type { ResultSet, Row, Value } from '@libsql/client';
import { malformed, type ServiceError } from '../base/errors.ts';

/** Returns true for a text with NUL. SQLite would truncate it there: `admin\\0x` would be `admin`. */
export function hasNul(text: string): boolean {
  return text.includes('\0');
}

/** The error for a text with NUL (400). */
export function nulRefused(): ServiceError {
  return malformed('A text must not contain a NUL character.');
}

/** Creates a ResultSet. Each row is a list of values in the order of the columns. */
export function createResultSet(
  columns: string[],
  rows: Row[],
  rowsAffected: number,
  lastInsertRowid: bigint | undefined,
): ResultSet {
  return {
    columns,
    columnTypes: [],
    rows,
    rowsAffected,
    lastInsertRowid,
    toJSON: () => ({
      columns,
      rows: rows as unknown as Value[][],
      rowsAffected,
      lastInsertRowid: String(lastInsertRowid),
    }),
  };
}
