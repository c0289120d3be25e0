import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Checks of stored files against their checksums. Times are seconds since 1970. */
export const fixityRuns = sqliteTable('fixity_run', {
  id: integer().primaryKey({ autoIncrement: true }),
  /** What is checked, as JSON: runs that differ in that do not go on with each other. */
  scope: text().notNull(),
  /** The last file that was looked at, and the last there was when the run began. */
  position: integer().notNull(),
  lastId: integer('last_id').notNull(),
  /** How many files it is about: all of the scope, or those of a sample. */
  total: integer().notNull(),
  checked: integer().notNull(),
  checkedBytes: integer('checked_bytes').notNull(),
  damaged: integer().notNull(),
  missing: integer().notNull(),
  unreadable: integer().notNull(),
  startedAt: integer('started_at').notNull(),
  /** Null as long as there is something left to look at. */
  endedAt: integer('ended_at'),
  /** Of the process that is at it, and when that one counts as gone; by the clock of the database. */
  lease: text(),
  leaseUntil: real('lease_until'),
});

/** What the last look at each file has found. */
export const fixityChecks = sqliteTable(
  'fixity_check',
  {
    fileId: integer('file_id').primaryKey(),
    runId: integer('run_id').notNull(),
    /** The object that was looked at: it says nothing of one that has replaced it since. */
    storageKey: text('storage_key').notNull(),
    at: integer().notNull(),
    outcome: text({ enum: ['intact', 'missing', 'damaged', 'unreadable'] }).notNull(),
    /** What was found instead, in words; null for an intact file. */
    detail: text(),
  },
  (table) => [index('fixity_check_outcome').on(table.outcome, table.fileId)],
);
