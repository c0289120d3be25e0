import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Files: what is known of stored bytes. Times are seconds since 1970. */
export const files = sqliteTable(
  'file',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    uuid: text().notNull().unique(),
    ownerId: integer('owner_id').notNull(),
    langcode: text().notNull(),
    filename: text().notNull(),
    /** Where users see it, as `public://2026-11/page.png`. */
    uri: text().notNull().unique(),
    filemime: text().notNull(),
    filesize: integer().notNull(),
    /** Permanent; a file that nothing refers to yet is temporary. */
    status: integer({ mode: 'boolean' }).notNull(),
    created: integer().notNull(),
    changed: integer().notNull(),
    /** Counts every write, as of content. */
    version: integer().notNull(),
    /** Where its bytes are, in the storage of `storedIn`. */
    storageKey: text('storage_key').notNull(),
    /** The scheme in whose storage its bytes are, if that is another one than that of `uri`: a move changes no address. */
    storedIn: text('stored_in'),
    /** Lower-case hexadecimal. */
    sha256: text().notNull(),
    /** Pixels, of images whose header could be read. */
    width: integer(),
    height: integer(),
  },
  (table) => [
    index('file_storage_key').on(table.storageKey),
    index('file_stored_in').on(table.storedIn).where(sql`${table.storedIn} IS NOT NULL`),
  ],
);

export type FileRow = typeof files.$inferSelect;
