import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** The items of a bulk run, with the result of each. A result is written in the transaction of its change. */
export const bulkItems = sqliteTable(
  'bulk_item',
  {
    id: integer().primaryKey(),
    runId: integer('run_id').notNull(),
    entityId: integer('entity_id').notNull(),
    /** `skipped`: the user may not change it, or it no longer exists. */
    state: text({ enum: ['waiting', 'done', 'unchanged', 'skipped', 'failed'] }).notNull(),
    /** Its title when it was changed. */
    label: text(),
    reason: text(),
    revisionBefore: integer('revision_before'),
    revisionAfter: integer('revision_after'),
    /**
     * The values of the changed field before and after, as JSON. A waiting item has them if its run gives each item a value of its own.
     */
    before: text(),
    after: text(),
  },
  (table) => [
    uniqueIndex('bulk_item_entity').on(table.runId, table.entityId),
    index('bulk_item_state').on(table.runId, table.state, table.id),
  ],
);
