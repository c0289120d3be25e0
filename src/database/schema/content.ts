import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * The columns of nodes, media, taxonomy terms and paragraphs: values that queries use, and one document with all values.
 * Times are seconds since 1970.
 */
function contentColumns() {
  return {
    id: integer().primaryKey({ autoIncrement: true }),
    uuid: text().notNull().unique(),
    /** The current revision. Null only within the batch that creates the row. */
    revisionId: integer('revision_id'),
    bundle: text().notNull(),
    /** The title of a node, the name of a media or term; empty for a paragraph. */
    label: text().notNull(),
    ownerId: integer('owner_id').notNull(),
    status: integer({ mode: 'boolean' }).notNull(),
    changed: integer().notNull(),
    /** Counts all writes, with or without a new revision. An update checks it, so that it overwrites no other update. */
    version: integer().notNull(),
    /** The version of the bundle's definition under which the document was written. */
    layout: integer().notNull(),
    /** True if a referenced entity was deleted after the document was written. */
    isDangling: integer('is_dangling', { mode: 'boolean' }).notNull(),
    /** The id of its alias in `path_alias`, or null. */
    aliasId: integer('alias_id'),
    alias: text(),
    /** The editor's note on the last change. Only editors see it, so it is no part of the document. */
    revisionLog: text('revision_log'),
    /**
     * The complete JSON representation: a read fetches one row and sends it unchanged. Addresses of files are
     * root-relative.
     */
    document: text().notNull(),
    /** The name of a term in lower case, for case-insensitive searches; null for other types. */
    foldedLabel: text('folded_label'),
    /** The form of a term's name by which lists order it (`titleKeyOf`); null for other types. */
    sortLabel: text('sort_label'),
  };
}

/** The columns of revisions. A revision gets its snapshot when the next one supersedes it. */
function revisionColumns() {
  return {
    id: integer().primaryKey({ autoIncrement: true }),
    entityId: integer('entity_id').notNull(),
    created: integer().notNull(),
    userId: integer('user_id'),
    log: text(),
    /** The row as JSON; null for the current revision. */
    snapshot: text(),
    /** SHA-256 of the revision's content (`revision-checksum.ts`); null until it is first recorded. */
    checksum: text(),
  };
}

export const nodes = sqliteTable('node', contentColumns(), (table) => [
  index('node_owner').on(table.ownerId),
  // Tells whether a node is hidden without a read of its row, which is large (`hidden-nodes.ts`).
  index('node_unpublished').on(table.id, table.ownerId).where(sql`${table.status} = 0`),
]);

const BEFORE_CREATED = '"created":[{"value":"';
const TIME_CHARS = '2019-03-14T19:05:24+00:00'.length;

/** Returns the time when a media was created, from its document. Indexes and queries must use the same expression. */
export function mediaCreated(document: SQLWrapper): SQL<string> {
  const before = sql.raw(`'${BEFORE_CREATED}'`);
  const start = sql.raw(String(BEFORE_CREATED.length));
  return sql`substr(${document}, instr(${document}, ${before}) + ${start}, ${sql.raw(String(TIME_CHARS))})`;
}

/**
 * Returns the condition that the picture of a media has no alternative text, or a file name instead of one. The base field
 * `thumbnail` has that of the source of a picture, and an empty one for other media. Indexes and queries must use the same
 * expression.
 */
export function mediaLacksText({ document, label }: Record<'document' | 'label', SQLWrapper>): SQL<boolean> {
  const alt = sql`coalesce(${document} ->> '$.thumbnail[0].alt', '')`;
  const isFileName = sql`instr(${alt}, ' ') = 0 AND instr(${alt}, '.') BETWEEN 1 AND length(${alt}) - 2`;
  // SQLite recognizes an index by one term, which OR is not.
  return sql`CASE WHEN ${alt} = '' OR ${alt} = ${label} OR (${isFileName}) THEN 1 ELSE 0 END = 1`;
}

/** Returns the ids of the uses of a media, separated by spaces: the first line of `linked`. */
export function mediaUses(linked: SQLWrapper): SQL<string> {
  return sql`substr(${linked}, 1, instr(${linked}, char(10)) - 1)`;
}

export const media = sqliteTable(
  'media',
  {
    ...contentColumns(),
    /**
     * The values that its node shows, as `surroundings-queries.ts` writes them: the ids of its uses, and id, owner, address
     * and type of its source file. Null if they must be queried.
     */
    linked: text(),
    /** True if its node was deleted and it belongs to no other. It then counts as unpublished. */
    hasLostNode: integer('has_lost_node', { mode: 'boolean' }).notNull().default(false),
  },
  // The orders of the list of media (`list-sources.ts`), with the columns that its conditions use.
  (table) => [
    index('media_changed').on(table.changed, table.id, table.status, table.bundle, table.ownerId, table.hasLostNode),
    index('media_created').on(mediaCreated(table.document), table.id),
    index('media_name').on(sql`${table.label} COLLATE NOCASE`, table.id),
    // The report of missing texts (`find-accessibility-problems.ts`).
    index('media_without_text').on(table.bundle, table.id, mediaUses(table.linked)).where(mediaLacksText(table)),
  ],
);
export const terms = sqliteTable('taxonomy_term', contentColumns(), (table) => [
  index('taxonomy_term_name').on(table.bundle, table.foldedLabel),
  index('taxonomy_term_order').on(table.bundle, table.sortLabel, table.id),
  // The terms of earlier versions (`order-terms.ts`).
  index('taxonomy_term_unordered')
    .on(table.id)
    .where(sql`${table.sortLabel} IS NULL AND ${table.foldedLabel} IS NOT NULL`),
  index('taxonomy_term_changed').on(table.changed, table.id, table.status, table.bundle),
]);

export const paragraphs = sqliteTable(
  'paragraph',
  {
    ...contentColumns(),
    /** The entity that it belongs to, which determines access and deletion. Null while no entity refers to it. */
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
