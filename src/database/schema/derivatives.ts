import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/**
 * The outbox of derivatives: what a change of a source has left to do, written in the transaction of that change.
 * Times are seconds since 1970 with fractions, by the clock of the database: many processes share these rows.
 */
export const derivativeJobs = sqliteTable(
  'derivative_job',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** UUID of the event: what log lines here and at the processor name it by. */
    eventId: text('event_id').notNull(),
    /** The name of the action in the rules. */
    action: text().notNull(),
    /** Who can do it: `default`, `embedded`, or the addresses that the action names. */
    pool: text().notNull(),
    nodeId: integer('node_id').notNull(),
    /** The source media; null for what is made of all members of the node. */
    mediaId: integer('media_id'),
    /** Whom it is done for: who made the change. */
    userId: integer('user_id').notNull(),
    /** MIME type of the source. */
    sourceType: text('source_type').notNull(),
    /** The ActivityStreams event as JSON, its addresses root-relative; null once the job has ended. */
    event: text(),
    /** JSON list of the actions whose derivative it is made of: none of them follows itself. */
    chain: text().notNull(),
    /** Raised whenever the source changes: what was made of an older one is not stored. */
    version: integer().notNull(),
    state: text({ enum: ['queued', 'waiting', 'failed', 'done', 'cancelled'] }).notNull(),
    /** Programs that a job in state waiting lacks, as a JSON list. */
    waitsFor: text('waits_for'),
    attempts: integer().notNull(),
    /** When it may be taken; while someone has it, when their lease runs out. */
    availableAt: real('available_at').notNull(),
    /** Of whoever has it; null for nobody. */
    lease: text(),
    createdAt: real('created_at').notNull(),
    startedAt: real('started_at'),
    endedAt: real('ended_at'),
    /** Of the last failure: what the processor answered, in words, and what the command said last. */
    status: integer(),
    message: text(),
    stderr: text(),
  },
  (table) => [
    // One job for a derivative of a node, however often its source changes.
    uniqueIndex('derivative_job_open').on(table.nodeId, table.action).where(sql`${table.endedAt} IS NULL`),
    index('derivative_job_ready').on(table.pool, table.availableAt).where(sql`${table.state} = 'queued'`),
    index('derivative_job_waiting').on(table.waitsFor).where(sql`${table.state} = 'waiting'`),
    index('derivative_job_ended').on(table.endedAt).where(sql`${table.endedAt} IS NOT NULL`),
    // Few of very many, which are looked for all the time.
    index('derivative_job_leased').on(table.lease).where(sql`${table.lease} IS NOT NULL`),
    index('derivative_job_failed').on(table.nodeId).where(sql`${table.state} = 'failed'`),
  ],
);

/**
 * How far scans for missing derivatives have come that have not ended: one row for each kind of scan. What has been
 * counted so far goes with the position, in one transaction.
 */
export const derivativeScans = sqliteTable('derivative_scan', {
  /** What is looked for, and whether it is only counted: scans that differ in that do not go on with each other. */
  scope: text().primaryKey(),
  /** The last media that was looked at, and the last there was when the scan began. */
  position: integer().notNull(),
  lastId: integer('last_id').notNull(),
  scanned: integer().notNull(),
  queued: integer().notNull(),
  /** Derivatives whose jobs were on their way already, and those whose jobs have failed. */
  open: integer().notNull(),
  failed: integer().notNull(),
});

/** What such a scan has counted that is made of many media: each of them would count it again. */
export const derivativeScanCounts = sqliteTable(
  'derivative_scan_count',
  { scope: text().notNull(), nodeId: integer('node_id').notNull(), action: text().notNull() },
  (table) => [primaryKey({ columns: [table.scope, table.nodeId, table.action] })],
);
