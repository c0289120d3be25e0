import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** Changes of many items at once. Times are seconds since 1970 by the clock of the database, since processes share these rows. */
export const bulkRuns = sqliteTable(
  'bulk_run',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** The user who started it, with whose permissions it works. */
    userId: integer('user_id').notNull(),
    entityType: text('entity_type', { enum: ['node', 'media'] }).notNull(),
    action: text({
      enum: ['publish', 'unpublish', 'collection', 'term', 'delete', 'derivatives', 'order', 'undo'],
    }).notNull(),
    /** The parameters of the action as JSON. */
    parameters: text().notNull(),
    /** `preparing` until all of its items are stored. */
    state: text({ enum: ['preparing', 'running', 'stopped', 'done'] }).notNull(),
    /** The reason why it stopped, unless a user stopped it. */
    message: text(),
    createdAt: real('created_at').notNull(),
    endedAt: real('ended_at'),
    /** The seconds that processes have worked on it. */
    worked: real().notNull().default(0),
    /** The lease of the process that works on it, and when it expires. */
    lease: text(),
    leaseUntil: real('lease_until'),
  },
  (table) => [
    // Few of many: the runs to work on.
    index('bulk_run_open').on(table.worked, table.id).where(sql`${table.endedAt} IS NULL`),
    index('bulk_run_user').on(table.userId, table.id),
    index('bulk_run_ended').on(table.endedAt).where(sql`${table.endedAt} IS NOT NULL`),
  ],
);

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
