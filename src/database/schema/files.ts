import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Files with their metadata. Times are seconds since 1970. */
export const files = sqliteTable(
  'file',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    uuid: text().notNull().unique(),
    ownerId: integer('owner_id').notNull(),
    langcode: text().notNull(),
    filename: text().notNull(),
    /** The public address, such as `public://2026-11/page.png`. */
    uri: text().notNull().unique(),
    filemime: text().notNull(),
    /** The type that its bytes have, if `filemime` names none. */
    recognizedType: text('recognized_type'),
    filesize: integer().notNull(),
    /** True for a permanent file. A file without references is temporary. */
    status: integer({ mode: 'boolean' }).notNull(),
    created: integer().notNull(),
    changed: integer().notNull(),
    /** Counts all writes. */
    version: integer().notNull(),
    /** The key of its object, in the storage of `storedIn`. */
    storageKey: text('storage_key').notNull(),
    /** The scheme whose storage holds the object, if it differs from that of `uri`: a move keeps the address. */
    storedIn: text('stored_in'),
    /**
     * The time when it last lost a reference, in seconds since 1970; null for never. A trigger sets it, so that every deletion
     * of references does.
     */
    released: integer(),
    /** Lower-case hexadecimal. */
    sha256: text().notNull(),
    /**
     * The action of the derivative rules that made the bytes; empty once a person has replaced them, and for files that are
     * added in the browser. Null for other files of persons, and for derivatives from before this column.
     */
    madeBy: text('made_by'),
    /** The size in pixels of an image whose header can be parsed. */
    width: integer(),
    height: integer(),
  },
  (table) => [
    index('file_storage_key').on(table.storageKey),
    // Files with the same bytes.
    index('file_sha256').on(table.sha256),
    // The orders of the list of files (`list-sources.ts`).
    index('file_created').on(table.created, table.id),
    index('file_changed').on(table.changed, table.id),
    index('file_name').on(sql`${table.filename} COLLATE NOCASE`, table.id),
    index('file_stored_in').on(table.storedIn).where(sql`${table.storedIn} IS NOT NULL`),
  ],
);

export type FileRow = typeof files.$inferSelect;

/**
 * The files of derivatives that were withdrawn because their source changed, until the derivative is made again: it gets the
 * same id, UUID and address.
 */
export const withdrawnFiles = sqliteTable('withdrawn_file', {
  mediaId: integer('media_id').primaryKey(),
  fileId: integer('file_id').notNull(),
  uuid: text().notNull(),
  ownerId: integer('owner_id').notNull(),
  langcode: text().notNull(),
  uri: text().notNull(),
  created: integer().notNull(),
});
