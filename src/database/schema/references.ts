import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * All references of current revisions, for queries such as the media of a node, the members of a collection and the uses
 * of a term. `weight` is the position of the source among its siblings, so that the index is in the order of the list: its field
 * of weight, or its own place among the members of this target.
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

/** The external URIs of taxonomy terms. */
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

/**
 * Deleted entities of which other rows remain: references to them, and their own revisions. A background task removes these
 * in slices (`removal-task.ts`). Until then no reader shows such a reference.
 */
export const removedTargets = sqliteTable(
  'removed_target',
  {
    type: text({ enum: ['node', 'media', 'taxonomy_term', 'paragraph', 'file'] }).notNull(),
    id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.type, table.id] })],
);

/**
 * Terms that were merged into another one: their addresses redirect. The row of such a term stands in for the other one, under
 * its name, until a run has moved all references to it (`terms/merge-task.ts`). Content does not find it.
 */
export const mergedTerms = sqliteTable(
  'merged_term',
  {
    id: integer().primaryKey(),
    intoId: integer('into_id').notNull(),
  },
  (table) => [index('merged_term_into').on(table.intoId)],
);

/**
 * The places of members that differ from their field of weight: a member of two items has one field and two places. The
 * `weight` of their reference is the same.
 */
export const memberPlaces = sqliteTable(
  'member_place',
  {
    memberId: integer('member_id').notNull(),
    parentId: integer('parent_id').notNull(),
    weight: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.memberId, table.parentId] }),
    index('member_place_parent').on(table.parentId),
  ],
);

/** The places of the media of a node whose files were put into an order. The `weight` of their reference is the same. */
export const mediaPlaces = sqliteTable(
  'media_place',
  {
    mediaId: integer('media_id').notNull(),
    nodeId: integer('node_id').notNull(),
    weight: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.mediaId, table.nodeId] }), index('media_place_node').on(table.nodeId)],
);
