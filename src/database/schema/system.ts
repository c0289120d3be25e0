import { sql } from 'drizzle-orm';
import { check, index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** The content model under which the stored values were written, and settings that change at run time. */
export const settings = sqliteTable('setting', {
  name: text().primaryKey(),
  value: text().notNull(),
});

/**
 * One row: a number that triggers increment with every change of an account, a setting, a term or an access rule. Processes cache these
 * while the number stays the same.
 */
export const generations = sqliteTable('generation', {
  id: integer().primaryKey(),
  value: integer().notNull(),
  /** Grows with `value` when access rules change: these are read again less often than the rest. */
  access: integer().notNull().default(0),
});

/** Aliases, such as `/islandora/letters` for `/node/12`. */
export const pathAliases = sqliteTable(
  'path_alias',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    uuid: text().notNull().unique(),
    path: text().notNull(),
    alias: text().notNull().unique(),
    langcode: text().notNull(),
  },
  (table) => [index('path_alias_path').on(table.path)],
);

/** Keys that the servers of one database share. A repository with a local database has them in its data folder. */
export const secrets = sqliteTable('secret', {
  name: text().primaryKey(),
  value: text().notNull(),
});

/** Until when discarded objects are kept, because a backup may read them: seconds since 1970 by the clock of the database. */
export const objectHolds = sqliteTable('object_hold', {
  name: text().primaryKey(),
  until: real().notNull(),
});

/** Unused objects in storage, until they are deleted. After a crash, the next process deletes them. */
export const discardedObjects = sqliteTable('discarded_object', {
  storageKey: text('storage_key').primaryKey(),
  scheme: text().notNull(),
});

/**
 * Always empty: a statement makes its batch fail by inserting a row that violates a constraint. The name of the
 * constraint is the reason.
 */
export const guard = sqliteTable(
  'guard',
  { stale: integer(), missing: integer(), taken: integer(), lost: integer(), unanchored: integer() },
  (table) => [
    check('guard_stale', sql`${table.stale} IS NULL`),
    check('guard_missing', sql`${table.missing} IS NULL`),
    check('guard_taken', sql`${table.taken} IS NULL`),
    check('guard_lost', sql`${table.lost} IS NULL`),
    check('guard_unanchored', sql`${table.unanchored} IS NULL`),
  ],
);
