import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** The secrets of days, with which visitors are hashed. Each is deleted after its day: no hash can then be compared with an address. */
export const usageSalts = sqliteTable('usage_salt', {
  /** Days since 1970 in UTC. */
  day: integer().primaryKey(),
  salt: text().notNull(),
});

/** Uses of the last hours, until they are added to the numbers of their day. */
export const usageClicks = sqliteTable('usage_click', {
  id: integer().primaryKey(),
  /** Seconds since 1970. */
  at: integer().notNull(),
  /** The hash of the visitor, with the salt of the day. */
  visitor: text().notNull(),
  /** The used item; 0 for a file that belongs to none. */
  nodeId: integer('node_id').notNull(),
  /** The used file; 0 for a page. */
  fileId: integer('file_id').notNull(),
});

/**
 * The use of an item, of a file, of all items within a node, or of all items, by day. The names of the numbers are those of COUNTER. Rows stay when
 * their item is deleted. The migration creates the table without row ids.
 */
export const usageDays = sqliteTable(
  'usage_day',
  {
    kind: integer().notNull(),
    id: integer().notNull(),
    /** Days since 1970 in UTC. */
    day: integer().notNull(),
    totalInvestigations: integer('total_investigations').notNull(),
    uniqueInvestigations: integer('unique_investigations').notNull(),
    totalRequests: integer('total_requests').notNull(),
    uniqueRequests: integer('unique_requests').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.id, table.day] }),
    index('usage_day_day').on(table.kind, table.day),
  ],
);
