import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Work that takes long, such as a bulk change or a check of stored files. Times are seconds since 1970 by the clock of the
 * database, since processes share these rows. `src/runs/runs.ts` has the statements.
 */
export const runs = sqliteTable(
  'run',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    kind: text({
      enum: [
        'authority',
        'bulk',
        'database',
        'fixity',
        'import',
        'index',
        'merge',
        'removal',
        'scan',
        'similar',
        'table',
      ],
    }).notNull(),
    /** `preparing` until it is complete enough to be worked on; `stopping` until the process that works on it notices. */
    state: text({ enum: ['preparing', 'running', 'stopping', 'stopped', 'failed', 'done'] }).notNull(),
    /** The user who started it; null for a command and for the server itself. */
    userId: integer('user_id'),
    /** What it is about, as JSON: each kind has its own members. */
    about: text().notNull(),
    /** How far it is, as JSON. */
    progress: text(),
    /** The seconds that processes have worked on it. */
    worked: real().notNull().default(0),
    createdAt: real('created_at').notNull(),
    /** Null while work remains. */
    endedAt: real('ended_at'),
    /** The lease of the process that works on it, and when it expires. */
    lease: text(),
    leaseUntil: real('lease_until'),
    /** The result as JSON. Last, since it may be large. */
    result: text(),
  },
  (table) => [
    index('run_kind').on(table.kind, table.id),
    // Few of many: the runs to work on.
    index('run_open').on(table.kind, table.worked, table.id).where(sql`${table.endedAt} IS NULL`),
    index('run_undoes')
      .on(sql`${table.about} ->> '$.parameters.undoes'`)
      .where(sql`${table.about} ->> '$.parameters.undoes' IS NOT NULL`),
  ],
);
