import { and, eq } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { query } from './query-builder.ts';
import { type Named, prepare } from './statement.ts';

/** Tables that SQLite itself and `migrate.ts` maintain. They are no part of the schema that migrations are generated from. */

/** The highest id that each table with AUTOINCREMENT has assigned. */
export const sequences = sqliteTable('sqlite_sequence', { name: text().notNull(), highest: integer('seq').notNull() });

/** The parts of the database: tables, indexes, triggers. */
export const master = sqliteTable('sqlite_master', {
  type: text().notNull(),
  name: text().notNull(),
  table: text('tbl_name').notNull(),
  sql: text(),
});

/** The applied migrations. */
export const appliedMigrations = sqliteTable('migration', {
  name: text().primaryKey(),
  /** Seconds since 1970. */
  applied: integer().notNull(),
});

/** Finds a table by its name. */
export const findTable = prepare(({ name }: Named<{ name: string }>) =>
  query
    .select({ name: master.name })
    .from(master)
    .where(and(eq(master.type, 'table'), eq(master.name, name))),
);
