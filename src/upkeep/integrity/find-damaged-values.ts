import { setImmediate } from 'node:timers/promises';
import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { isDamaged, messageOfDamage } from '../../database/damage.ts';
import { damagedTextsOf } from '../../database/damaged-text.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { adviceOf } from '../../database/repair-advice.ts';
import { master } from '../../database/sqlite-tables.ts';
import { type Named, plain, prepare, statementOf } from '../../database/statement.ts';
import { kindOf } from '../../database/texts-as-bytes.ts';

/** A problem of the stored rows of a database. */
export interface DatabaseProblem {
  /** The row with the problem, such as `node 12, revision 34`. */
  readonly subject: string;
  readonly detail: string;
}

/** Number of rows in one query. */
const PAGE_ROWS = 100;

/** A table with its columns. */
interface CheckedTable {
  readonly name: string;
  readonly hasRowId: boolean;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly keyIndex: number }[];
}

const listTables = prepare(() =>
  query
    .select({ name: master.name, definition: master.sql })
    .from(master)
    .where(and(eq(master.type, 'table'), sql`${master.name} NOT LIKE 'sqlite\\_%' ESCAPE '\\'`))
    .orderBy(asc(master.name)),
);

const listColumns = prepare(({ table }: Named<{ table: string }>) =>
  plain(sql`SELECT name, type, pk FROM pragma_table_info(${table})`, {
    name: sql<string>`name`,
    type: sql<string>`type`,
    keyIndex: sql<number>`pk`,
  }),
);

/**
 * Finds the values that no version of the program can have written: texts that are not valid UTF-8, and texts and bytes in
 * columns of numbers. Reads every row of every table but those of the full-text index. Reports a table that cannot be read.
 */
export async function* findDamagedValues(database: Database, signal: AbortSignal): AsyncGenerator<DatabaseProblem> {
  for (const table of await readTables(database)) {
    try {
      yield* damagedIn(database, table, signal);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      yield {
        subject: `table ${table.name}`,
        detail: `rows cannot be read: ${messageOfDamage(error)}. ${adviceOf(table.name)}`,
      };
    }
  }
}

async function readTables(database: Database): Promise<CheckedTable[]> {
  const all = await database.all(listTables());
  const virtual = all.filter(({ definition }) => isVirtual(definition)).map(({ name }) => name);
  const isShadow = (name: string) => virtual.some((each) => name.startsWith(`${each}_`));
  const tables: CheckedTable[] = [];
  for (const { name, definition } of all) {
    // The server has tables of its own.
    if (isVirtual(definition) || isShadow(name) || name.startsWith('libsql_')) continue;
    const columns = await database.all(listColumns({ table: name }));
    tables.push({ name, hasRowId: !/\bWITHOUT\s+ROWID\b/i.test(definition ?? ''), columns });
  }
  return tables;
}

function isVirtual(definition: string | null): boolean {
  return /^\s*CREATE\s+VIRTUAL\b/i.test(definition ?? '');
}

async function* damagedIn(
  database: Database,
  { name, hasRowId, columns }: CheckedTable,
  signal: AbortSignal,
): AsyncGenerator<DatabaseProblem> {
  const keys = hasRowId ? ['rowid'] : columns.filter(({ keyIndex }) => keyIndex > 0).map((each) => each.name);
  const key = sql.join(
    keys.map((each) => sql.identifier(each)),
    sql`, `,
  );
  const checked = columns.filter(({ type }) => kindOf({ type }) !== 'bytes');
  const fields: Record<string, SQL> = {};
  for (const [index, each] of keys.entries()) fields[`key${index}`] = sql`${sql.identifier(each)}`;
  for (const { name: column, type } of checked) fields[column] = checkedValueOf(column, type);
  const list = sql.join(Object.values(fields), sql`, `);
  let last: SQL | undefined;
  for (let count = PAGE_ROWS; count === PAGE_ROWS; ) {
    // Reads of a local file never yield: without this, signals and writers that wait for the snapshot would starve.
    await setImmediate();
    signal.throwIfAborted();
    const after = last === undefined ? sql`` : sql` WHERE (${key}) > (${last})`;
    const page = plain(
      sql`SELECT ${list} FROM ${sql.identifier(name)}${after} ORDER BY ${key} LIMIT ${PAGE_ROWS}`,
      fields,
    );
    const rows = (await database.all(statementOf(page))) as Record<string, unknown>[];
    for (const row of rows) yield* problemsOf(name, keys, checked, row);
    // The key of a damaged row may be damaged.
    const intact = rows.findLast((row) => damagedTextsOf(row).length === 0);
    last =
      intact &&
      sql.join(
        keys.map((_, index) => sql`${intact[`key${index}`]}`),
        sql`, `,
      );
    if (last === undefined) return;
    count = rows.length;
  }
}

/** Returns the value of a column of texts, and the wrong type of a value of another column. */
function checkedValueOf(column: string, type: string): SQL {
  const name = sql.identifier(column);
  if (kindOf({ type }) !== 'number') return sql`${name}`;
  return sql`nullif(nullif(nullif(typeof(${name}), 'integer'), 'real'), 'null')`;
}

function* problemsOf(
  table: string,
  keys: readonly string[],
  columns: CheckedTable['columns'],
  row: Record<string, unknown>,
): Generator<DatabaseProblem> {
  const subject = `${table} ${keys.map((_, index) => String(row[`key${index}`])).join(', ')}`;
  for (const { column } of damagedTextsOf(row))
    yield { subject, detail: `the text in its column ${column} is not valid UTF-8. ${adviceOf(table)}` };
  for (const { name, type } of columns) {
    const wrong = row[name];
    if (kindOf({ type }) === 'number' && wrong !== null)
      yield { subject, detail: `its column ${name} has a ${wrong} instead of a number. ${adviceOf(table)}` };
  }
}
