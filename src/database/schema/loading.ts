import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

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

/** Imports of tables. Times are seconds since 1970. */
export const importRuns = sqliteTable(
  'import_run',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** Checksum of the table. The same table is the same import. */
    sha256: text().notNull(),
    /** The real path of the table. */
    path: text().notNull(),
    rows: integer().notNull(),
    startedAt: integer('started_at').notNull(),
    /** Null while rows remain. */
    endedAt: integer('ended_at'),
    /** The lease of the process that runs it, and when it expires by the clock of the database. */
    lease: text(),
    leaseUntil: real('lease_until'),
    /** The node id of row 1; later rows have the following ids. Null in runs of versions that reserved no ids. */
    firstNodeId: integer('first_node_id'),
  },
  (table) => [index('import_run_sha256').on(table.sha256), index('import_run_path').on(table.path)],
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

/** Tables that users uploaded in a browser, with their files in the data folder of one server. Times are seconds since 1970. */
export const tableUploads = sqliteTable('table_upload', {
  id: integer().primaryKey({ autoIncrement: true }),
  /** The name of its folder. */
  folder: text().notNull().unique(),
  /** The host name of that server. Null for an upload of an earlier version. */
  host: text(),
  userId: integer('user_id').notNull(),
  fileName: text('file_name').notNull(),
  /** The choices of the user as JSON. */
  options: text().notNull(),
  state: text({ enum: ['checking', 'checked', 'importing', 'stopped', 'failed', 'done'] }).notNull(),
  /** The amounts so far as JSON. */
  progress: text(),
  /** The report of the last check as JSON. */
  report: text(),
  /** The problem that stopped the import as JSON. */
  failure: text(),
  createdAt: integer('created_at').notNull(),
  changedAt: integer('changed_at').notNull(),
  /** True once the user wants the work to stop. */
  stops: integer({ mode: 'boolean' }).notNull(),
  /** The lease of the process that checks or imports it, and when it expires by the clock of the database. */
  lease: text(),
  leaseUntil: real('lease_until'),
});
