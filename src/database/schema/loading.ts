import { integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** Redirects, such as `/old/page` to `/node/12`. */
export const redirects = sqliteTable(
  'redirect',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    uuid: text().notNull().unique(),
    /** Without the leading slash, as clients send it. */
    sourcePath: text('source_path').notNull(),
    /** The required query of a request, as JSON with sorted names; `{}` for none. */
    sourceQuery: text('source_query').notNull(),
    /** `internal:/node/12`, or an absolute URL. */
    targetUri: text('target_uri').notNull(),
    targetTitle: text('target_title'),
    statusCode: integer('status_code').notNull(),
    langcode: text().notNull(),
    ownerId: integer('owner_id').notNull(),
    created: integer().notNull(),
    /** The canonical path of the content whose alias is the source: the redirect takes precedence over no other alias. */
    replacedPath: text('replaced_path'),
  },
  (table) => [uniqueIndex('redirect_source').on(table.sourcePath, table.sourceQuery)],
);

/** Entities that an import has created. Each row is written in the transaction of its entity. */
export const importItems = sqliteTable(
  'import_item',
  {
    runId: integer('run_id').notNull(),
    /** The value of the id column. */
    rowId: text('row_id').notNull(),
    /** Empty for the node; the column, and the place in its cell, for a media. */
    part: text().notNull(),
    entityId: integer('entity_id').notNull(),
    /** Checksum of the row's values for this entity, to recognize a row that has changed since the import. */
    fingerprint: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.rowId, table.part] })],
);
