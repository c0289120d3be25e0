import type { Query } from 'drizzle-orm';
import {
  BaseSQLiteDatabase,
  type PreparedQueryConfig,
  type SelectedFieldsOrdered,
  SQLiteAsyncDialect,
  SQLitePreparedQuery,
  SQLiteSession,
} from 'drizzle-orm/sqlite-core';

/** The result of a statement without `returning`: the number of changed rows. */
export interface ChangeCount {
  readonly changes: number;
}

/** The SQL of a query with its parameters, and the selected fields in the order of the result's columns. */
export class CompiledQuery extends SQLitePreparedQuery<PreparedQueryConfig & { type: 'async' }> {
  constructor(
    query: Query,
    readonly fields: SelectedFieldsOrdered | undefined,
  ) {
    super('async', 'all', query);
  }

  run = refuseToRun;
  all = refuseToRun;
  get = refuseToRun;
  values = refuseToRun;
}

/** Drizzle's session for queries that are compiled here and run elsewhere (`statement.ts`). */
class CompilingSession extends SQLiteSession<'async', ChangeCount, Record<string, never>, Record<string, never>> {
  prepareQuery(query: Query, fields: SelectedFieldsOrdered | undefined): CompiledQuery {
    return new CompiledQuery(query, fields);
  }

  transaction = refuseToRun;
}

async function refuseToRun(): Promise<never> {
  throw new Error('this query has no database: pass it to prepare or statementOf');
}

export const dialect = new SQLiteAsyncDialect();

/**
 * Drizzle's query builder, without a database. Pass its queries to `prepare` or `statementOf` (`statement.ts`), and the
 * result to a database.
 */
export const query = new BaseSQLiteDatabase<'async', ChangeCount>(
  'async',
  dialect,
  new CompilingSession(dialect),
  undefined,
);
