import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/**
 * The full-text index: a contentless FTS5 table, whose rowid is the id of a node. Its texts are folded
 * (`base/fold-text.ts`). The migration creates it as a virtual table.
 */
export const searchTexts = sqliteTable('search_text', {
  rowid: integer().primaryKey(),
  title: text().notNull(),
  subject: text().notNull(),
  creator: text().notNull(),
  identifier: text().notNull(),
  text: text().notNull(),
  /** The extracted text of the media. */
  fulltext: text().notNull(),
});

/** The facts about each node by which lists, facets and harvesters select it. A row stays when its node is deleted. */
export const nodeRecords = sqliteTable(
  'node_record',
  {
    nid: integer().primaryKey(),
    /** Grows with every write of any row: a reader asks for what changed since the last one it saw. */
    sequence: integer().notNull(),
    isDeleted: integer('is_deleted', { mode: 'boolean' }).notNull().default(false),
    /** True for a published node; false once it is deleted. */
    status: integer({ mode: 'boolean' }).notNull(),
    ownerId: integer('owner_id').notNull(),
    bundle: text().notNull(),
    created: integer().notNull(),
    changed: integer().notNull(),
    /** The time of the last change that harvesters see; null for a node that was never published. */
    harvestStamp: integer('harvest_stamp'),
    /** The beginning of the folded title. */
    titleKey: text('title_key').notNull(),
    /** The first and the last year of its date; null without a date. */
    dateFrom: integer('date_from'),
    dateTo: integer('date_to'),
    hasText: integer('has_text', { mode: 'boolean' }).notNull(),
    /**
     * Little-endian 32-bit integers in groups: number of the facet in the configuration, number of values, values. A value
     * is an id, a decade, or the id of a text in `facet_value`.
     */
    facets: blob({ mode: 'buffer' }).notNull(),
    /** A JSON list of the nodes that it is a member of. */
    collections: text().notNull(),
    /** The facts that its page shows since it was deleted (`repository/content/tombstones.ts`), as JSON; null if it shows nothing. */
    tombstone: text(),
    /** A hash of its row in `search_text`, which is rewritten only if it differs. */
    textHash: text('text_hash').notNull(),
    /** The URI of the model that a deleted node had, for harvesters. */
    removedModel: text('removed_model'),
  },
  (table) => [
    uniqueIndex('node_record_sequence').on(table.sequence),
    // The order of harvests, with the column that counts omit rows by.
    index('node_record_harvest')
      .on(table.harvestStamp, table.nid, table.bundle)
      .where(sql`${table.harvestStamp} IS NOT NULL`),
    index('node_record_date').on(table.dateFrom, table.nid),
    // The orders of the list of nodes, with the columns by which it omits rows (`repository/lists/list-sources.ts`).
    index('node_record_bundle').on(table.bundle),
    index('node_record_title').on(
      table.titleKey,
      table.nid,
      table.status,
      table.isDeleted,
      table.bundle,
      table.ownerId,
    ),
    index('node_record_created').on(
      table.created,
      table.nid,
      table.status,
      table.isDeleted,
      table.bundle,
      table.ownerId,
    ),
    index('node_record_changed').on(
      table.changed,
      table.nid,
      table.status,
      table.isDeleted,
      table.bundle,
      table.ownerId,
    ),
  ],
);

/**
 * The titles of nodes from each of their words but the first one, by which completions find them. The id is 32 times that of
 * the node, plus the number of the word.
 */
export const titleWords = sqliteTable(
  'search_title_word',
  {
    id: integer().primaryKey(),
    /** The folded title from the word on, truncated. */
    key: text().notNull(),
  },
  (table) => [index('search_title_word_key').on(table.key)],
);

/** Texts that facets have as values, by the number that stands for them. */
export const facetValues = sqliteTable('facet_value', { id: integer().primaryKey(), text: text().notNull().unique() });

/** The plain text of extracted texts and hOCR, by media and node: zstd. */
export const extractedTexts = sqliteTable(
  'extracted_text',
  {
    mediaId: integer('media_id').notNull(),
    nodeId: integer('node_id').notNull(),
    /** True for the text of hOCR, which counts only if the node has no extracted text. */
    isHocr: integer('is_hocr', { mode: 'boolean' }).notNull(),
    text: blob({ mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.nodeId, table.mediaId] }), index('extracted_text_media').on(table.mediaId)],
);

/** Nodes whose index must be written again, because a term has another name, or a file has other bytes. */
export const searchPending = sqliteTable('search_pending', {
  nid: integer().primaryKey(),
  /** Incremented when the node becomes pending again, so that a finished write of an older state does not remove it. */
  version: integer().notNull().default(1),
  /** True if the texts of its media must be read from their files again. */
  readsFiles: integer('reads_files', { mode: 'boolean' }).notNull(),
});

/**
 * Renamed terms that many nodes use. Their nodes become pending in slices, in the order of the index `reference_target`. The
 * position is the last reference whose node is pending.
 */
export const searchPendingTerms = sqliteTable('search_pending_term', {
  id: integer().primaryKey(),
  /** Incremented when the term gets another name meanwhile, which begins again. */
  version: integer().notNull().default(1),
  field: text().notNull().default(''),
  weight: integer(),
  nid: integer().notNull().default(0),
});

/** One row: the version of the index. The run of the kind `index` is its build. */
export const searchIndex = sqliteTable('search_index', {
  id: integer().primaryKey(),
  /** The version under which all rows were written; null until the first build is complete. */
  version: text(),
  /** The token of the latest file with the facts of all nodes (`search/engine/node-snapshot.ts`). */
  snapshot: text(),
});

/** The words of the full-text index, and the number of nodes with each. The migration creates it as a virtual table. */
export const searchWords = sqliteTable('search_word', { term: text().notNull(), doc: integer().notNull() });
