import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { guard } from './schema/system.ts';
import { plain, prepare, type Statement } from './statement.ts';

/** Returns the condition that a column holds one of the values of a JSON list. The list is one parameter of any length. */
export function isAmong(column: SQLWrapper, list: SQLWrapper | string): SQL {
  return sql`${column} IN (SELECT value FROM json_each(${list}))`;
}

/**
 * Returns the condition that a column holds a text, which becomes part of the SQL. The database chooses a partial index
 * for such a condition, and has one parameter less to bind.
 */
export function isText<Column extends SQLiteColumn>(column: Column, text: Column['_']['data'] & string): SQL {
  return sql`${column} = ${literal(text)}`;
}

/**
 * Returns the condition that a column holds a text, for which the database uses no index. It has no statistics: of two
 * conditions it may choose the one that half of all rows meet, such as the type of a reference's target, and read them all.
 */
export function isTextWithoutIndex<Column extends SQLiteColumn>(
  column: Column,
  text: Column['_']['data'] & string,
): SQL {
  return sql`+${column} = ${literal(text)}`;
}

/** Returns a text as a part of the SQL. */
export function literal(text: string): SQL {
  return sql.raw(`'${text.replaceAll("'", "''")}'`);
}

/**
 * Returns an expression with subqueries as a field of a query. In a query of one table, Drizzle omits the table of a
 * column in a field, and the subquery could take the column for its own.
 */
export function nested<Value>(expression: SQL<Value>): SQL<Value> {
  return sql`${expression}`;
}

/** Returns the names of columns without their table, as INSERT and SET require them. */
export function namesOf(...columns: readonly SQLiteColumn[]): SQL {
  return sql.join(
    columns.map(({ name }) => sql.identifier(name)),
    sql`, `,
  );
}

/** Returns the query that makes a batch fail if a condition holds. `failedGuard` then returns the reason. */
export function failIf(reason: keyof typeof guard.$inferInsert, condition: SQL) {
  return plain(sql`INSERT INTO ${guard} (${namesOf(guard[reason])}) SELECT 1 WHERE ${condition}`);
}

/** Returns the value that an INSERT could not insert because of a conflict. */
export function excluded(column: SQLiteColumn): SQL {
  return sql`excluded.${sql.identifier(column.name)}`;
}

const IS_NOT_ONE = sql`changes() <> 1`;
const REQUIRE_ONE = {
  stale: prepare(() => failIf('stale', IS_NOT_ONE)),
  missing: prepare(() => failIf('missing', IS_NOT_ONE)),
  lost: prepare(() => failIf('lost', IS_NOT_ONE)),
};

/** Returns the statement that makes a batch fail unless the statement before it changed exactly one row. */
export function requireOne(reason: keyof typeof REQUIRE_ONE): Statement {
  return REQUIRE_ONE[reason]();
}
