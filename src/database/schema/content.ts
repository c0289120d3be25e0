import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Nodes, media, taxonomy terms and paragraphs are one kind of row: what is searched for or decided by in columns, and
 * everything else in one document. Times are seconds since 1970.
 */
function contentColumns() {
  return {
    id: integer().primaryKey({ autoIncrement: true }),
    uuid: text().notNull().unique(),
    /** The current revision. Null only within the batch that makes the row. */
    revisionId: integer('revision_id'),
    bundle: text().notNull(),
    /** The title of a node, the name of a media or term; empty for a paragraph. */
    label: text().notNull(),
    ownerId: integer('owner_id').notNull(),
    status: integer({ mode: 'boolean' }).notNull(),
    changed: integer().notNull(),
    /** Counts every write, with a new revision or without: what an update checks that it does not overwrite another. */
    version: integer().notNull(),
    /** Under which definition of the bundle the document was written. */
    layout: integer().notNull(),
    /** Whether something that it refers to was deleted since it was written. */
    isDangling: integer('is_dangling', { mode: 'boolean' }).notNull(),
    /** Its own address beside the canonical one, as in `path_alias`; null for none. */
    aliasId: integer('alias_id'),
    alias: text(),
    /** What was changed last, in the editor's words: for editors only, and so no part of the document. */
    revisionLog: text('revision_log'),
    /**
     * The whole answer as JSON, in the item form and in the order of the API: reading is one row, and that
     * row is sent as it stands. Addresses of files in it are root-relative.
     */
    document: text().notNull(),
    /** Of terms: the name as it is looked up by, without regard to case; null for others. */
    foldedLabel: text('folded_label'),
  };
}

/** Every revision that was ever current. What a revision held is kept here from the moment on that it is superseded. */
function revisionColumns() {
  return {
    id: integer().primaryKey({ autoIncrement: true }),
    entityId: integer('entity_id').notNull(),
    created: integer().notNull(),
    userId: integer('user_id'),
    log: text(),
    /** The row as JSON; null while the revision is the current one. */
    snapshot: text(),
    /** SHA-256 of the revision's content (`revision-checksum.ts`); null until it is first recorded. */
    checksum: text(),
  };
}

export const nodes = sqliteTable('node', contentColumns());
export const media = sqliteTable('media', {
  ...contentColumns(),
  /**
   * What the node that it belongs to tells of it, in one place: the ids of its uses, and of its source file id, owner,
   * address and type, as `surroundings-queries.ts` writes them. Null where that has to be looked up.
   */
  linked: text(),
  /** True if the media's node was deleted and it has no other since. It then counts as unpublished. */
  hasLostNode: integer('has_lost_node', { mode: 'boolean' }).notNull().default(false),
});
export const terms = sqliteTable('taxonomy_term', contentColumns(), (table) => [
  index('taxonomy_term_name').on(table.bundle, table.foldedLabel),
]);

export const paragraphs = sqliteTable(
  'paragraph',
  {
    ...contentColumns(),
    /** What it belongs to, as its document says too: it is seen with that, and goes with it. Null while nothing refers to it. */
    hostType: text('host_type'),
    hostId: integer('host_id'),
  },
  (table) => [index('paragraph_host').on(table.hostType, table.hostId)],
);

export const nodeRevisions = sqliteTable('node_revision', revisionColumns(), (table) => [
  index('node_revision_entity').on(table.entityId),
]);
export const mediaRevisions = sqliteTable('media_revision', revisionColumns(), (table) => [
  index('media_revision_entity').on(table.entityId),
]);
export const termRevisions = sqliteTable('taxonomy_term_revision', revisionColumns(), (table) => [
  index('taxonomy_term_revision_entity').on(table.entityId),
]);

export const paragraphRevisions = sqliteTable('paragraph_revision', revisionColumns(), (table) => [
  index('paragraph_revision_entity').on(table.entityId),
]);

export type ContentTable = typeof nodes;
export type ContentRow = ContentTable['$inferSelect'];
export type RevisionTable = typeof nodeRevisions;
export type RevisionRow = RevisionTable['$inferSelect'];

/** The tables of content by type. Their common columns have the same names. */
export const contentTables = {
  node: nodes,
  media: media as unknown as ContentTable,
  taxonomy_term: terms as unknown as ContentTable,
  paragraph: paragraphs as unknown as ContentTable,
};

/** The tables of revisions by the type of their content. */
export const revisionTables = {
  node: nodeRevisions,
  media: mediaRevisions as unknown as RevisionTable,
  taxonomy_term: termRevisions as unknown as RevisionTable,
  paragraph: paragraphRevisions as unknown as RevisionTable,
};
