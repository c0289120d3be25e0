import type { InValue, ResultSet, Row } from '@libsql/client';
import { Column, is, Placeholder, type SQL, sql } from 'drizzle-orm';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { damagedTextsOf, markDamaged } from './damaged-text.ts';
import { type ChangeCount, CompiledQuery, dialect } from './query-builder.ts';

/** A statement with its parameters. `Result` is what a database returns for it: rows, or the number of changes. */
export interface Statement<Result = unknown> {
  readonly sql: string;
  readonly args: InValue[];
  /** Builds a row from the values of its columns; undefined for a statement without rows. */
  readonly toRow: ((values: Row) => unknown) | undefined;
  /** Never set: it holds the type alone. */
  readonly result?: Result;
}

/** The fields of a row that plain SQL returns, in the order of its columns. */
type Fields = Record<string, SQLiteColumn | SQL>;

/** Plain SQL with its fields. */
interface PlainQuery<Result> {
  readonly plain: SQL;
  readonly fields: Fields | undefined;
  readonly result?: Result;
}

/** A query of Drizzle's builder. */
interface BuiltQuery<Result> {
  readonly _: { readonly dialect: 'sqlite'; readonly result: Result };
  prepare(): unknown;
}

type AnyQuery<Result> = BuiltQuery<Result> | PlainQuery<Result>;

/**
 * The values of a prepared statement, by name. Drizzle accepts each of them wherever it accepts a value. They are created
 * when they are read: a rest pattern (`...values`) finds none.
 */
export type Named<Values> = {
  readonly [Name in keyof Values & string]: Placeholder<Name, Values[Name]> & SQL<Values[Name]>;
};

/**
 * Prepares a query. Drizzle builds its SQL at the first call; a further call costs as much as a statement in plain SQL.
 * The parameter of `build` names the values that change from call to call:
 *
 *     const findUser = prepare(({ id }: Named<{ id: number }>) => query.select().from(users).where(eq(users.id, id)));
 *     const user = await database.get(findUser({ id: 1 }));
 */
export function prepare<Result>(build: () => AnyQuery<Result>): () => Statement<Result>;
export function prepare<Values, Result>(
  build: (values: Named<Values>) => AnyQuery<Result>,
): (values: { readonly [Name in keyof Values]: Values[Name] & InValue }) => Statement<Result>;
export function prepare(build: (values: never) => AnyQuery<unknown>): (values?: Record<string, InValue>) => Statement {
  let compiled: CompiledStatement | undefined;
  return (values) => {
    // The overloads type the values; a placeholder stands for a value of any type.
    compiled ??= compile(build(placeholders as never));
    return bind(compiled, values);
  };
}

/** Builds a statement that is used once, such as one whose conditions differ from request to request. */
export function statementOf<Result>(query: AnyQuery<Result>): Statement<Result>;
export function statementOf(query: AnyQuery<unknown>): Statement {
  return bind(compile(query), undefined);
}

/**
 * A query that Drizzle's builder cannot express, written with its `sql` template. `fields` names the columns of a row in
 * their order.
 */
export function plain(text: SQL): PlainQuery<ChangeCount>;
export function plain<Selected extends Fields>(text: SQL, fields: Selected): PlainQuery<SelectResultFields<Selected>[]>;
export function plain(text: SQL, fields?: Fields): PlainQuery<unknown> {
  return { plain: text, fields };
}

/** Builds the result of a statement from the driver's. */
export function resultOf<Result>({ toRow }: Statement<Result>, { rows, rowsAffected }: ResultSet): Result {
  return (toRow === undefined ? { changes: rowsAffected } : rows.map((values) => rowOf(values, toRow))) as Result;
}

/** Builds a row, which is damaged if its values are. */
function rowOf(values: Row, toRow: (values: Row) => unknown): unknown {
  const row = toRow(values);
  const damaged = damagedTextsOf(values);
  if (damaged.length > 0) markDamaged(row as object, damaged);
  return row;
}

interface CompiledStatement {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly toRow: Statement['toRow'];
}

function compile(query: AnyQuery<unknown>): CompiledStatement {
  if ('plain' in query) {
    const { plain: text, fields } = query;
    return { ...dialect.sqlToQuery(text), toRow: fields && rowMapper(Object.entries(fields)) };
  }
  const built = query.prepare();
  if (!(built instanceof CompiledQuery)) throw new TypeError('a query must come from the builder of query-builder.ts');
  const fields = built.fields?.map(({ path, field }): [string, unknown] => {
    const [name, ...more] = path;
    if (name === undefined || more.length > 0)
      throw new TypeError(`${path.join('.')}: the fields of a row must be flat`);
    return [name, field];
  });
  return { ...built.getQuery(), toRow: fields && rowMapper(fields) };
}

function bind({ sql: text, params, toRow }: CompiledStatement, values: Record<string, InValue> | undefined): Statement {
  const args = params.map((param) => (param instanceof Placeholder ? values?.[param.name] : param) as InValue);
  return { sql: text, args, toRow };
}

const placeholders = new Proxy({}, { get: (_, name) => sql`${sql.placeholder(String(name))}` });

/** Returns a function that builds a row. Columns decode their values; the values of expressions stay as they are. */
function rowMapper(fields: ReadonlyArray<readonly [name: string, field: unknown]>): (values: Row) => unknown {
  const names = fields.map(([name]) => name);
  const decoders = fields.map(([, field]) => decoderOf(field));
  return (values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index++) {
      const value = values[index] ?? null;
      const decode = decoders[index];
      row[names[index] as string] = value === null || decode === undefined ? value : decode(value);
    }
    return row;
  };
}

function decoderOf(field: unknown): ((value: unknown) => unknown) | undefined {
  if (!is(field, Column) || field.mapFromDriverValue === Column.prototype.mapFromDriverValue) return undefined;
  return (value) => field.mapFromDriverValue(value);
}
