import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Fixity checks of stored files. Times are seconds since 1970. */
export const fixityRuns = sqliteTable('fixity_run', {
  id: integer().primaryKey({ autoIncrement: true }),
  /** The filter of the run as JSON. A run resumes only one with the same scope. */
  scope: text().notNull(),
  /** The last checked file, and the last file when the run began. */
  position: integer().notNull(),
  lastId: integer('last_id').notNull(),
  /** The number of files in the scope, or in the sample. */
  total: integer().notNull(),
  checked: integer().notNull(),
  checkedBytes: integer('checked_bytes').notNull(),
  damaged: integer().notNull(),
  missing: integer().notNull(),
  unreadable: integer().notNull(),
  startedAt: integer('started_at').notNull(),
  /** Null while files remain. */
  endedAt: integer('ended_at'),
  /** The lease of the process that runs it, and when it expires by the clock of the database. */
  lease: text(),
  leaseUntil: real('lease_until'),
});

/** The last result for each file. */
export const fixityChecks = sqliteTable(
  'fixity_check',
  {
    fileId: integer('file_id').primaryKey(),
    runId: integer('run_id').notNull(),
    /** The checked object. The result does not apply to an object that has replaced it. */
    storageKey: text('storage_key').notNull(),
    at: integer().notNull(),
    outcome: text({ enum: ['intact', 'missing', 'damaged', 'unreadable'] }).notNull(),
    /** An explanation of the problem; null for an intact file. */
    detail: text(),
  },
  (table) => [index('fixity_check_outcome').on(table.outcome, table.fileId)],
);
