import type { InValue, Row } from '@libsql/client';
import { getTableColumns, type SQL } from 'drizzle-orm';
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

/** The same for a whole row, as `select().from(table)` gives it. */
export function prepareFindRow<Table extends SQLiteTable>(
  database: Database,
  table: Table,
  condition: SQL,
): (...args: InValue[]) => Promise<Table['$inferSelect'] | undefined> {
  return prepareFindOne(database, getTableColumns(table), table, condition, rowOf(table));
}

/** Returns a function that builds a row of a table from the first columns of a query, which must be in table order. */
export function rowOf<Table extends SQLiteTable>(table: Table): (values: Row) => Table['$inferSelect'] {
  const named = Object.entries(getTableColumns(table) as Record<string, SQLiteColumn>);
  return (values) =>
    Object.fromEntries(
      named.map(([name, column], index) => {
        const value = values[index] ?? null;
        return [name, value === null ? null : column.mapFromDriverValue(value)];
      }),
    ) as Table['$inferSelect'];
}
