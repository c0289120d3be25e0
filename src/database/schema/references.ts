import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Every reference of a current revision: it answers "media of this node", "members of this collection" and
 * "who uses this term". `weight` is the source's place among its siblings, so that a list comes from the
 * index in its order.
 */
export const references = sqliteTable(
  'reference',
  {
    sourceType: text('source_type').notNull(),
    sourceId: integer('source_id').notNull(),
    field: text().notNull(),
    delta: integer().notNull(),
    targetType: text('target_type').notNull(),
    targetId: integer('target_id').notNull(),
    weight: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.sourceType, table.sourceId, table.field, table.delta] }),
    index('reference_target').on(
      table.targetType,
      table.targetId,
      table.sourceType,
      table.field,
      table.weight,
      table.sourceId,
    ),
  ],
);

/** The external addresses of taxonomy terms: which term stands for a URI. */
export const termUris = sqliteTable(
  'term_uri',
  {
    termId: integer('term_id').notNull(),
    field: text().notNull(),
    delta: integer().notNull(),
    uri: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.termId, table.field, table.delta] }),
    index('term_uri_uri').on(table.uri, table.field),
  ],
);
