import { asc, getTableName, gt, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { GENERATION } from '../../database/dated.ts';
import { query } from '../../database/query-builder.ts';
import { nodeAccess } from '../../database/schema/access.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { nodeRecords, searchIndex, searchTexts } from '../../database/schema/search.ts';
import { isAmong, nested } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { BUILD } from '../../repository/search-index/index-state.ts';
import { varintsIn } from '../postings/index-structure.ts';
import { parseIds } from './find-hits.ts';
import { readSnapshot, type SnapshotPlace, sequenceOf, writeSnapshot } from './node-snapshot.ts';
import type { NodeTable } from './node-table.ts';

const ROWS_AT_ONCE = 5_000;
/** The writes after which a snapshot is written, and their share of all nodes. */
const MIN_CHANGES = 20_000;
const CHANGED_SHARE = 0.02;
const SETS_AT_ONCE = 50_000;
/** The books of one statement: a response of a database server has at most 10 MB. */
const BOOKS_AT_ONCE = 500_000;

/** The number of words in each column of a row of the full-text index. */
const SIZES = sql.identifier(`${getTableName(searchTexts)}_docsize`);

const changedSince = prepare(({ sequence, limit }: Named<{ sequence: number; limit: number }>) =>
  query
    .select({
      nid: nodeRecords.nid,
      sequence: nodeRecords.sequence,
      isDeleted: nodeRecords.isDeleted,
      status: nodeRecords.status,
      ownerId: nodeRecords.ownerId,
      bundle: nodeRecords.bundle,
      created: nodeRecords.created,
      dateFrom: nodeRecords.dateFrom,
      dateTo: nodeRecords.dateTo,
      facets: nodeRecords.facets,
      sizes: nested(sql<ArrayBuffer | null>`(SELECT sz FROM ${SIZES} WHERE id = ${nodeRecords.nid})`),
    })
    .from(nodeRecords)
    .where(gt(nodeRecords.sequence, sequence))
    .orderBy(asc(nodeRecords.sequence))
    .limit(limit),
);

const setsSince = prepare(({ sequence, limit }: Named<{ sequence: number; limit: number }>) =>
  query
    .select({ nid: nodeAccess.nid, sequence: nodeAccess.sequence, setId: nodeAccess.setId })
    .from(nodeAccess)
    .where(gt(nodeAccess.sequence, sequence))
    .orderBy(asc(nodeAccess.sequence))
    .limit(limit),
);

/** What a search has to know before it begins. */
export interface SearchState {
  /** The generation of the database (`Database.generation`). */
  readonly generation: number;
  /** The counts of the unfinished build of the index, if there is one. */
  readonly build: { readonly done: number; readonly total: number } | undefined;
}

// The terms are those of models whose items have pages.
const findState = prepare(({ uris }: Named<{ uris: string }>) =>
  plain(
    sql`SELECT (SELECT coalesce(max(${nodeRecords.sequence}), 0) FROM ${nodeRecords}), ${GENERATION}, ${BUILD},
      (SELECT ${searchIndex.snapshot} FROM ${searchIndex}),
      (SELECT json_group_array(id) FROM (SELECT DISTINCT ${termUris.termId} AS id FROM ${termUris}
        WHERE ${isAmong(termUris.uri, uris)} ORDER BY ${termUris.termId}))`,
    {
      ...{ sequence: sql<number>`sequence`, generation: sql<number>`generation` },
      ...{ build: sql<string | null>`build`, snapshot: sql<string | null>`snapshot`, terms: sql<string>`terms` },
    },
  ),
);

const NONE = '[]';

const isOfModel = (terms: Named<{ terms: string }>['terms']) => sql`${references.targetType} = 'taxonomy_term'
  AND ${isAmong(references.targetId, terms)} AND ${references.sourceType} = 'node' AND ${references.field} = 'field_model'`;

const findBooks = prepare(({ terms, after, limit }: Named<{ terms: string; after: number; limit: number }>) =>
  plain(
    sql`SELECT group_concat(id), count(*), max(id) FROM (SELECT DISTINCT ${references.sourceId} AS id
      FROM ${references} INDEXED BY reference_target
      WHERE ${isOfModel(terms)} AND +${references.sourceId} > ${after} ORDER BY id LIMIT ${limit})`,
    { ids: sql<string | null>`ids`, count: sql<number>`count`, last: sql<number | null>`last` },
  ),
);

const findBooksAmong = prepare(({ terms, nids }: Named<{ terms: string; nids: string }>) =>
  plain(
    sql`SELECT group_concat(node.value) FROM json_each(${nids}) node WHERE EXISTS (SELECT 1 FROM ${references}
      WHERE ${references.sourceType} = 'node' AND ${references.sourceId} = node.value AND ${references.field} = 'field_model'
        AND ${references.targetType} = 'taxonomy_term' AND ${isAmong(sql`+${references.targetId}`, terms)})`,
    { ids: sql<string | null>`ids` },
  ),
);

function wordsOf(sizes: ArrayBuffer | null): number {
  let words = 0;
  for (const size of varintsIn(new Uint8Array(sizes ?? []), 0)) words += size;
  return words;
}

/** Keeps a table of nodes current: each search first reads the rows that any process has written since the one before. */
export class NodeLoader {
  readonly #database: Database;
  readonly #table: NodeTable;
  /** The URIs of the models of books, as a JSON list. */
  readonly #bookUris: string;
  readonly #snapshots: SnapshotPlace | undefined;
  #sequence = 0;
  /** The last write that a snapshot includes. */
  #savedSequence = 0;
  /** The snapshot that is known from the database. */
  #token: string | undefined;
  #accessSequence = 0;
  /** The terms of the books that are marked. */
  #bookTerms = NONE;
  /** Changed nodes of which it is unknown whether they are books; undefined if all nodes must be read again. */
  #unmarked: number[] | undefined = [];

  constructor(database: Database, table: NodeTable, bookUris: readonly string[], snapshots?: SnapshotPlace) {
    this.#database = database;
    this.#table = table;
    this.#bookUris = JSON.stringify(bookUris);
    this.#snapshots = snapshots;
  }

  /** Reads all changes in slices. `onSlice` may throw to end it; the next call then continues. */
  async refresh(onSlice: () => Promise<void>): Promise<SearchState> {
    const state = await this.#database.get(findState({ uris: this.#bookUris }));
    const { sequence = 0, generation = 0, build = null, snapshot = null, terms = NONE } = state ?? {};
    this.#restore(snapshot);
    if (terms !== this.#bookTerms) this.#unmarked = undefined;
    this.#bookTerms = terms;
    while (this.#sequence < sequence) {
      const rows = await this.#database.all(changedSince({ sequence: this.#sequence, limit: ROWS_AT_ONCE }));
      for (const row of rows) {
        this.#table.set({ ...row, words: wordsOf(row.sizes) });
        this.#sequence = row.sequence;
        this.#unmarked?.push(row.nid);
      }
      if (rows.length < ROWS_AT_ONCE) break;
      this.#unmarked = undefined;
      await onSlice();
    }
    await this.#readSets(onSlice);
    await this.#markBooks(onSlice);
    return { generation, build: build === null ? undefined : JSON.parse(build) };
  }

  /** Writes a snapshot if many rows were written since the last one. Returns its token, which the database has to get. */
  save(): string | undefined {
    const { count } = this.#table;
    const isWorth = this.#sequence - this.#savedSequence >= Math.max(MIN_CHANGES, count * CHANGED_SHARE);
    if (this.#snapshots?.isWritten !== true || !isWorth || this.#unmarked?.length !== 0) return undefined;
    this.#savedSequence = this.#sequence;
    return writeSnapshot(this.#snapshots.file, this.#table, { sequence: this.#sequence, bookTerms: this.#bookTerms });
  }

  /** Begins with the rows of the last snapshot, and takes notice of the snapshots of other processes. */
  #restore(token: string | null): void {
    if (this.#snapshots === undefined || token === null || token === this.#token) return;
    this.#token = token;
    if (this.#sequence > 0) this.#savedSequence = sequenceOf(token);
    else {
      const state = readSnapshot(this.#snapshots.file, token, this.#table);
      if (state === undefined) return;
      this.#sequence = state.sequence;
      this.#savedSequence = state.sequence;
      this.#bookTerms = state.bookTerms;
    }
  }

  /** After the records: a restricted node is never known without its set. */
  async #readSets(onSlice: () => Promise<void>): Promise<void> {
    for (;;) {
      const rows = await this.#database.all(setsSince({ sequence: this.#accessSequence, limit: SETS_AT_ONCE }));
      for (const { nid, sequence, setId } of rows) {
        this.#table.restrict(nid, setId);
        this.#accessSequence = sequence;
      }
      if (rows.length < SETS_AT_ONCE) return;
      await onSlice();
    }
  }

  async #markBooks(onSlice: () => Promise<void>): Promise<void> {
    const [terms, changed] = [this.#bookTerms, this.#unmarked];
    if (changed?.length === 0) return;
    if (changed !== undefined && terms !== NONE) {
      const among = await this.#database.get(findBooksAmong({ terms, nids: JSON.stringify(changed) }));
      this.#table.markBooks(parseIds(among?.ids ?? '', changed.length), false);
    } else if (changed === undefined)
      for (let after = 0, isFirst = true; ; isFirst = false) {
        const slice = await this.#database.get(findBooks({ terms, after, limit: BOOKS_AT_ONCE }));
        this.#table.markBooks(parseIds(slice?.ids ?? '', slice?.count ?? 0), isFirst);
        if (!slice?.last || slice.count < BOOKS_AT_ONCE) break;
        after = slice.last;
        await onSlice();
      }
    this.#unmarked = [];
  }
}
