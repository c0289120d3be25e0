import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Uploads in parts (tus). A row stays until it expires, so that a repeated request gets the same answer. */
export const uploads = sqliteTable(
  'upload',
  {
    /** Random, in lower-case hexadecimal. */
    id: text().primaryKey(),
    ownerId: integer('owner_id').notNull(),
    /** The name of the file on the client's machine. */
    filename: text().notNull(),
    /** The MIME type that the client claims. */
    filemime: text().notNull(),
    /** `Upload-Metadata` as the client sent it. */
    metadata: text(),
    /** The length of the whole file. */
    bytes: integer().notNull(),
    /** The number of received bytes, which the parts hold. */
    received: integer().notNull(),
    /** The number of parts so far. */
    parts: integer().notNull(),
    created: integer().notNull(),
    /** The time when the upload is removed, in seconds since 1970. Each part postpones it. */
    expires: integer().notNull(),
    /** The SHA-256 of the whole file, once it has been computed: lower-case hexadecimal. */
    sha256: text(),
    /** The item that was created for the file. */
    nodeUuid: text('node_uuid'),
    /** The media that has the file. Its parts are removed. */
    mediaUuid: text('media_uuid'),
    /** The file that a media refers to as a track. Its parts are removed. */
    fileId: integer('file_id'),
  },
  (table) => [index('upload_owner').on(table.ownerId), index('upload_expires').on(table.expires)],
);

/** The parts of uploads: each an object of its own, in the storage of a scheme. */
export const uploadParts = sqliteTable(
  'upload_part',
  {
    uploadId: text('upload_id').notNull(),
    /** The position of its first byte in the file. */
    first: integer().notNull(),
    bytes: integer().notNull(),
    storageKey: text('storage_key').notNull().unique(),
    scheme: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.first] })],
);

export type UploadRow = typeof uploads.$inferSelect;
