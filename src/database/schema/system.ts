import { sql } from 'drizzle-orm';
import { check, index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** What the program remembers about itself: the content model that the stored values were written under, and settings. */
export const settings = sqliteTable('setting', {
  name: text().primaryKey(),
  value: text().notNull(),
});

/**
 * One row: a number that triggers raise with every change to what nearly every request asks for and few change:
 * accounts, settings, and terms that exist. What a process remembers of those holds while the number does.
 */
export const generations = sqliteTable('generation', {
  id: integer().primaryKey(),
  value: integer().notNull(),
});

/** Addresses that stand for another: `/islandora/letters` for `/node/12`. */
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

/** Keys that all servers of one database share; a repository in a file has them in files of its data folder. */
export const secrets = sqliteTable('secret', {
  name: text().primaryKey(),
  value: text().notNull(),
});

/** Until when (seconds since 1970, by the clock of the database) discarded objects stay: what a backup reads must not go. */
export const objectHolds = sqliteTable('object_hold', {
  name: text().primaryKey(),
  until: real().notNull(),
});

/**
 * Objects in storage that no row names any more, until they are removed: a process that ends in between leaves
 * the rest to the next one.
 */
export const discardedObjects = sqliteTable('discarded_object', {
  storageKey: text('storage_key').primaryKey(),
  scheme: text().notNull(),
});

/**
 * Always empty: a row that cannot be inserted is how one statement of a batch makes all of it fail. The
 * name of the violated constraint says why.
 */
export const guard = sqliteTable(
  'guard',
  { stale: integer(), missing: integer(), taken: integer(), lost: integer() },
  (table) => [
    check('guard_stale', sql`${table.stale} IS NULL`),
    check('guard_missing', sql`${table.missing} IS NULL`),
    check('guard_taken', sql`${table.taken} IS NULL`),
    check('guard_lost', sql`${table.lost} IS NULL`),
  ],
);
