import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/**
 * The authority lists that were loaded from files. The words of the names of each list are in a full-text index of its own,
 * `authority_word_ID`, which is dropped with the list.
 */
export const authorityLists = sqliteTable(
  'authority_list',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    /** Its name among the `authority_sources` of the content model. */
    source: text().notNull(),
    /** `loading` until it is complete; `removed` until its rows are deleted, slice by slice. */
    state: text({ enum: ['loading', 'current', 'removed'] }).notNull(),
    /** The name of the file. */
    file: text().notNull(),
    /** The run that loads it. */
    runId: integer('run_id').notNull(),
    records: integer().notNull().default(0),
    names: integer().notNull().default(0),
    /** Seconds since 1970; null until it is complete. */
    loadedAt: integer('loaded_at'),
  },
  (table) => [index('authority_list_name').on(table.name)],
);

/** The records of authority lists. An id is that of the list times `RECORDS_PER_LIST`, plus a number. */
export const authorityRecords = sqliteTable(
  'authority_record',
  {
    id: integer().primaryKey(),
    listId: integer('list_id').notNull(),
    uri: text().notNull(),
    kind: text().notNull(),
    /** The preferred name that is shown. */
    label: text().notNull(),
    /** All preferred names as JSON: `[[name, language], ...]`. */
    preferred: text().notNull(),
    /** The other names, likewise. */
    variants: text().notNull(),
    /** As the file has them, such as `1835-11-30`. */
    dateBegin: text('date_begin'),
    dateEnd: text('date_end'),
    /** A note that tells it from others of the same name. */
    scope: text(),
  },
  (table) => [uniqueIndex('authority_record_uri').on(table.listId, table.uri)],
);

/**
 * Statements about a subject that stood too far from its others in a file. They wait here for the end of the file, which
 * adds them to their record.
 */
export const authorityLeftovers = sqliteTable(
  'authority_leftover',
  {
    id: integer().primaryKey(),
    listId: integer('list_id').notNull(),
    /** An URI, or the label of a blank node. */
    subject: text().notNull(),
    /** JSON: `[[role, value, language], ...]`. */
    facts: text().notNull(),
  },
  (table) => [index('authority_leftover_subject').on(table.listId, table.subject)],
);
