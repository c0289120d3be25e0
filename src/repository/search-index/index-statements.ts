import type { InStatement } from '@libsql/client';
import { and, eq, getTableName, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { query } from '../../database/query-builder.ts';
import { nodes } from '../../database/schema/content.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { extractedTexts, nodeRecords, searchPending, searchTexts } from '../../database/schema/search.ts';
import { isAmong, namesOf, nested, requireOne } from '../../database/sql.ts';
import { type Named, plain, prepare, type Statement, statementOf } from '../../database/statement.ts';
import { insertTitleWords, replaceTitleWords } from '../title-words.ts';
import type { EntryRecord, IndexEntry } from './index-entry.ts';

/** The stored facts of a row that its next write depends on. */
export interface StoredRecord {
  readonly sequence: number;
  readonly status: boolean;
  readonly harvestStamp: number | null;
  readonly textHash: string;
  readonly hasText: boolean;
  readonly facets: Buffer;
}

const { nid, sequence, isDeleted, status, harvestStamp, hasText, facets, textHash, titleKey } = nodeRecords;
const OWN = [
  ...([status, nodeRecords.ownerId, nodeRecords.bundle, nodeRecords.created, nodeRecords.changed] as const),
  ...([titleKey, nodeRecords.dateFrom, nodeRecords.dateTo, hasText, facets] as const),
  ...([nodeRecords.collections, textHash, harvestStamp] as const),
];

type RecordValues = EntryRecord & { readonly harvestStamp: number | null };

const valuesOf = (values: Named<RecordValues>): SQL[] => [
  ...[values.status, values.ownerId, values.bundle, values.created, values.changed].map((value) => sql`${value}`),
  ...[values.titleKey, values.dateFrom, values.dateTo, values.hasText, values.facets].map((value) => sql`${value}`),
  ...[values.collections, values.textHash, values.harvestStamp].map((value) => sql`${value}`),
];

/** The number of the next written row. */
const NEXT = nested(sql<number>`(SELECT coalesce(max(${sequence}), 0) + 1 FROM ${nodeRecords})`);

const TEXT_COLUMNS = namesOf(
  ...[searchTexts.rowid, searchTexts.title, searchTexts.subject, searchTexts.creator],
  ...[searchTexts.identifier, searchTexts.text, searchTexts.fulltext],
);

type TextValues = IndexEntry['texts'];

const insertTexts = (verb: SQL, id: SQLWrapper, values: Named<TextValues>) => {
  const { title, subject, creator, identifier, text, fulltext } = values;
  return plain(sql`${verb} INTO ${searchTexts} (${TEXT_COLUMNS})
    VALUES (${id}, ${title}, ${subject}, ${creator}, ${identifier}, ${text}, ${fulltext})`);
};
const insertRecord = (id: SQLWrapper, values: Named<RecordValues>, condition = sql``) =>
  plain(sql`INSERT INTO ${nodeRecords} (${namesOf(nid, sequence, ...OWN)})
    SELECT ${id}, ${NEXT}, ${sql.join(valuesOf(values), sql`, `)}${condition}`);

/** The statements that insert the rows of a new node, whose id is an expression with its values. */
export function createInserts<IdValues extends object>(idOf: (values: Named<IdValues>) => SQL) {
  return {
    texts: prepare((values: Named<TextValues & IdValues>) => insertTexts(sql`INSERT`, idOf(values), values)),
    titleWords: prepare((values: Named<{ readonly titleWords: string } & IdValues>) =>
      insertTitleWords(idOf(values), values),
    ),
    record: prepare((values: Named<RecordValues & IdValues>) => insertRecord(idOf(values), values)),
  };
}

type Id = { readonly id: number };

const replaceTexts = prepare((values: Named<TextValues & Id>) => insertTexts(sql`REPLACE`, values.id, values));
const addRecord = prepare((values: Named<RecordValues & Id>) =>
  // The node may have been deleted since it was read.
  insertRecord(
    values.id,
    values,
    sql` WHERE EXISTS (SELECT 1 FROM ${nodes} WHERE ${nodes.id} = ${values.id}) ON CONFLICT DO NOTHING`,
  ),
);
const updateRecord = prepare((values: Named<RecordValues & Id & { readonly previous: number }>) => {
  const set = OWN.map((column, index) => sql`${namesOf(column)} = ${valuesOf(values)[index]}`);
  return plain(sql`UPDATE ${nodeRecords} SET ${namesOf(sequence)} = ${NEXT}, ${sql.join(set, sql`, `)}
    WHERE ${nid} = ${values.id} AND ${sequence} = ${values.previous}`);
});

/** Determines whether harvesters see a row as changed. */
interface Harvesting {
  readonly now: number;
  /** True for a change that harvesters see: of the node, or of names of its terms. */
  readonly isSeen: boolean;
}

/** Returns the time of the last change that harvesters see. */
function harvestStampOf(
  isPublished: boolean,
  stored: Pick<StoredRecord, 'status' | 'harvestStamp'> | undefined,
  { now, isSeen }: Harvesting,
): number | null {
  const previous = stored?.harvestStamp ?? null;
  const hasChanged = isPublished !== (stored?.status ?? false);
  const wasEverSeen = isPublished || stored?.status === true;
  return wasEverSeen && (isSeen || hasChanged || previous === null) ? now : previous;
}

/**
 * Returns the statements that write the rows of an existing node. They fail the transaction as stale if another write
 * has changed the rows since `stored` was read. The texts are only written if they differ, unless `isForced`.
 */
export function updateStatements(
  id: number,
  { texts, titleWords, record }: IndexEntry,
  stored: StoredRecord | undefined,
  harvesting: Harvesting & { readonly isForced?: boolean },
): Statement[] {
  const values = { id, ...record, harvestStamp: harvestStampOf(record.status, stored, harvesting) };
  const isSame = stored?.textHash === record.textHash && !harvesting.isForced;
  return [
    stored === undefined ? addRecord(values) : updateRecord({ ...values, previous: stored.sequence }),
    requireOne('stale'),
    ...(isSame ? [] : [...replaceTitleWords(id, titleWords), replaceTexts({ id, ...texts })]),
  ];
}

const EMPTY = Buffer.alloc(0);

/** The URI of the model of a record's node. NULL once the references of the node are removed. */
const MODEL = sql`(SELECT ${termUris.uri} FROM ${references} CROSS JOIN ${termUris}
    ON ${termUris.termId} = ${references.targetId} AND ${termUris.field} = 'field_external_uri' AND ${termUris.delta} = 0
  WHERE ${references.sourceType} = 'node' AND ${references.sourceId} = ${nid} AND ${references.field} = 'field_model'
    AND ${references.delta} = 0)`;

const closeRecord = prepare(({ id, now, empty }: Named<Id & { readonly now: number; readonly empty: Buffer }>) =>
  query
    .update(nodeRecords)
    .set({
      ...{ isDeleted: true, status: false, hasText: false, facets: sql`${empty}`, titleKey: '', textHash: '' },
      ...{ sequence: NEXT, dateFrom: null, dateTo: null, removedModel: MODEL },
      harvestStamp: sql`CASE WHEN ${harvestStamp} IS NULL THEN NULL ELSE ${now} END`,
    })
    .where(and(eq(nid, id), eq(isDeleted, false))),
);
const removeTexts = prepare(({ id }: Named<Id>) => query.delete(searchTexts).where(eq(searchTexts.rowid, id)));
const removePending = prepare(({ id }: Named<Id>) => query.delete(searchPending).where(eq(searchPending.nid, id)));

/**
 * Returns the statements that remove a node from the index. Its record stays, for harvesters; `removeReferencesTo` removes its
 * extracted texts.
 */
export function removeNodeStatements(id: number, now: number): Statement[] {
  return [
    closeRecord({ id, now, empty: EMPTY }),
    ...replaceTitleWords(id, []),
    removeTexts({ id }),
    removePending({ id }),
  ];
}

const TEXTS = getTableName(searchTexts);
const tableOfTexts = (name: string) => sql.identifier(`${TEXTS}_${name}`);

/**
 * Returns the statements that empty the full-text index through the tables of FTS5, which cannot open a damaged one. They
 * leave the averages and the structure of an index without rows (`fts5_index.c` of SQLite, "FTS5 on-disk format").
 */
export function emptyTexts(): Statement[] {
  return [
    ...['data', 'idx', 'docsize'].map((name) => sql`DELETE FROM ${tableOfTexts(name)}`),
    sql`INSERT INTO ${tableOfTexts('data')} (id, block) VALUES (1, x''), (10, x'00000000FF000001000000')`,
    // The format of FTS5, and the setting of decision 70.
    sql`INSERT OR REPLACE INTO ${tableOfTexts('config')} (k, v) VALUES ('version', 4), ('deletemerge', 0)`,
    // A connection that knows the index takes notice.
    sql`INSERT INTO ${searchTexts} (${sql.identifier(TEXTS)}) VALUES ('delete-all')`,
  ].map((text) => statementOf(plain(text)));
}

const removeTextOf = prepare(({ ids }: Named<{ ids: string }>) =>
  query.delete(extractedTexts).where(isAmong(extractedTexts.mediaId, ids)),
);

/** Returns the statement that removes the extracted texts of media. */
export function removeExtractedOf(mediaIds: readonly number[]): InStatement {
  return removeTextOf({ ids: JSON.stringify(mediaIds) });
}
