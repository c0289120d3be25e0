import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** The last result of a fixity check for each file. Times are seconds since 1970. */
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
