import type { InValue, Row } from '@libsql/client';
import type { SQL } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Database } from './database.ts';

/**
 * Prepares the look-up of one row: `select(columns).from(table).where(condition)`, at a third of the cost. The
 * condition's placeholders are given in their order, and so are the columns to `toRow`.
 */
export function prepareFindOne<T>(
  database: Database,
  columns: Record<string, SQLiteColumn | SQL>,
  table: SQLiteTable,
  condition: SQL,
  toRow: (columns: Row) => T,
): (...args: InValue[]) => Promise<T | undefined> {
  const { sql } = database.query.select(columns).from(table).where(condition).limit(1).toSQL();
  return async (...args) => {
    args.push(1);
    const row = await database.first(sql, args);
    return row && toRow(row);
  };
}
