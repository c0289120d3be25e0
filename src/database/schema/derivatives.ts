import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/**
 * The outbox of derivatives: the jobs that a change of a source causes, written in the transaction of that change.
 * Times are seconds since 1970 with fractions, by the clock of the database, since processes share these rows.
 */
export const derivativeJobs = sqliteTable(
  'derivative_job',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** UUID of the event, which log lines here and at the processor contain. */
    eventId: text('event_id').notNull(),
    /** The name of the action in the rules. */
    action: text().notNull(),
    /** The processors that can run it: `default`, `embedded`, or the addresses of the action. */
    pool: text().notNull(),
    nodeId: integer('node_id').notNull(),
    /** The source media; null for a derivative of all members of the node. */
    mediaId: integer('media_id'),
    /** The user who made the change. */
    userId: integer('user_id').notNull(),
    /** MIME type of the source. */
    sourceType: text('source_type').notNull(),
    /** The ActivityStreams event as JSON, its addresses root-relative; null once the job has ended. */
    event: text(),
    /** JSON list of the actions whose derivatives led to this job. No action follows itself. */
    chain: text().notNull(),
    /** Incremented when the source changes. The derivative of an older version is discarded. */
    version: integer().notNull(),
    state: text({ enum: ['queued', 'waiting', 'failed', 'done', 'cancelled'] }).notNull(),
    /** Programs that a job in state waiting lacks, as a JSON list. */
    waitsFor: text('waits_for'),
    attempts: integer().notNull(),
    /** The time from which the job may start; for a running job, the end of its lease. */
    availableAt: real('available_at').notNull(),
    /** The lease of the dispatcher that runs it, or null. */
    lease: text(),
    createdAt: real('created_at').notNull(),
    startedAt: real('started_at'),
    endedAt: real('ended_at'),
    /** The last failure: the processor's status, an explanation, and the end of the command's standard error. */
    status: integer(),
    message: text(),
    stderr: text(),
  },
  (table) => [
    // One open job for each derivative of a node, however often its source changes.
    uniqueIndex('derivative_job_open').on(table.nodeId, table.action).where(sql`${table.endedAt} IS NULL`),
    index('derivative_job_ready').on(table.pool, table.availableAt).where(sql`${table.state} = 'queued'`),
    index('derivative_job_waiting').on(table.waitsFor).where(sql`${table.state} = 'waiting'`),
    index('derivative_job_ended').on(table.endedAt).where(sql`${table.endedAt} IS NOT NULL`),
    // A few rows of very many, queried often.
    index('derivative_job_leased').on(table.lease).where(sql`${table.lease} IS NOT NULL`),
    // The jobs of one node, for its editors.
    index('derivative_job_node').on(table.nodeId),
    index('derivative_job_failed').on(table.nodeId).where(sql`${table.state} = 'failed'`),
  ],
);

/** Counted derivatives with several source media, so that a scan counts each only once. */
export const derivativeScanCounts = sqliteTable(
  'derivative_scan_count',
  { scope: text().notNull(), nodeId: integer('node_id').notNull(), action: text().notNull() },
  (table) => [primaryKey({ columns: [table.scope, table.nodeId, table.action] })],
);
