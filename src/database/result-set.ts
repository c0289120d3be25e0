import type { ResultSet, Row, Value } from '@libsql/client';

/** Makes a ResultSet of rows that are lists of values in the order of the columns. */
export function resultOf(
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
