import { and, asc, eq, gt, inArray, type Name, sql } from 'drizzle-orm';
import { query } from '../database/query-builder.ts';
import { authorityLeftovers, authorityLists, authorityRecords } from '../database/schema/authorities.ts';
import { namesOf as columns, isAmong } from '../database/sql.ts';
import { type Named, plain, prepare, type Statement, statementOf } from '../database/statement.ts';
import { type AuthorityRecord, namesOf } from './authority-record.ts';
import { indexedText, WORDS_TABLE_OPTIONS } from './name-words.ts';

/** The ids of the records of a list are its id times this number, and above. */
const RECORDS_PER_LIST = 1_000_000_000;

/** Returns the id of the record of a list with a number, from 1. */
export function recordId(listId: number, number: number): number {
  return listId * RECORDS_PER_LIST + number;
}

/** Returns the full-text index of a list. */
export function wordTable(listId: number): Name {
  return sql.identifier(`authority_word_${listId}`);
}

/** Returns the statements that create the full-text index of a list. */
export function createWords(listId: number): Statement[] {
  const table = wordTable(listId);
  return [
    statementOf(plain(sql`CREATE VIRTUAL TABLE ${table} USING fts5(text, ${sql.raw(WORDS_TABLE_OPTIONS)})`)),
    // FTS5 can damage its index when it merges rows because many were deleted.
    statementOf(plain(sql`INSERT INTO ${table} (${table}, rank) VALUES ('deletemerge', 0)`)),
  ];
}

/** Returns the statement that drops the full-text index of a list. */
export function dropWords(listId: number): Statement {
  return statementOf(plain(sql`DROP TABLE IF EXISTS ${wordTable(listId)}`));
}

const R = authorityRecords;
const addRecords = prepare(({ listId, rows }: Named<{ listId: number; rows: string }>) =>
  plain(
    sql`INSERT INTO ${R} (${columns(R.id, R.listId, R.uri, R.kind, R.label, R.preferred, R.variants, R.dateBegin, R.dateEnd, R.scope)})
      SELECT value ->> 0, ${listId}, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
        value ->> 8 FROM json_each(${rows})`,
  ),
);

/** A record with its id. */
export type NumberedRecord = AuthorityRecord & { readonly id: number };

/** Returns the statements that add records to a list. */
export function insertRecords(listId: number, records: readonly NumberedRecord[]): Statement[] {
  const rows = records.map(({ id, uri, kind, label, preferred, variants, dateBegin, dateEnd, scope }) => [
    ...[id, uri, kind, label, JSON.stringify(preferred), JSON.stringify(variants)],
    ...[dateBegin ?? null, dateEnd ?? null, scope ?? null],
  ]);
  const texts = records.map((record) => [record.id, indexedText(record.kind, namesOf(record))]);
  return [
    addRecords({ listId, rows: JSON.stringify(rows) }),
    statementOf(
      plain(
        sql`INSERT INTO ${wordTable(listId)} (rowid, text)
          SELECT value ->> 0, value ->> 1 FROM json_each(${JSON.stringify(texts)})`,
      ),
    ),
  ];
}

/** Returns the statements that remove records of a list, in order to add them again. */
export function deleteRecords(listId: number, ids: readonly number[]): Statement[] {
  const list = JSON.stringify(ids);
  return [
    statementOf(plain(sql`DELETE FROM ${R} WHERE ${isAmong(R.id, list)}`)),
    statementOf(plain(sql`DELETE FROM ${wordTable(listId)} WHERE rowid IN (SELECT value FROM json_each(${list}))`)),
  ];
}

const L = authorityLeftovers;
const addLeftoverRows = prepare(({ listId, rows }: Named<{ listId: number; rows: string }>) =>
  plain(
    sql`INSERT INTO ${L} (${columns(L.listId, L.subject, L.facts)})
      SELECT ${listId}, value ->> 0, value ->> 1 FROM json_each(${rows})`,
  ),
);

/** Returns the statement that keeps leftovers. `facts` are JSON. */
export function insertLeftovers(
  listId: number,
  leftovers: readonly { readonly subject: string; readonly facts: string }[],
): Statement {
  const rows = JSON.stringify(leftovers.map(({ subject, facts }) => [subject, facts]));
  return addLeftoverRows({ listId, rows });
}

type OfList = { readonly listId: number };

/** Finds the subjects with leftovers after one, which are no blank nodes, in order. */
export const findLeftSubjects = prepare(
  ({ listId, after, limit }: Named<OfList & { readonly after: string; readonly limit: number }>) =>
    query
      .selectDistinct({ subject: L.subject })
      .from(L)
      .where(and(eq(L.listId, listId), gt(L.subject, after), sql`${L.subject} NOT LIKE '\\_:%' ESCAPE '\\'`))
      .orderBy(asc(L.subject))
      .limit(limit),
);

/** Finds the leftovers of subjects, a JSON list. */
export const findLeftovers = prepare(({ listId, subjects }: Named<OfList & { readonly subjects: string }>) =>
  query
    .select({ subject: L.subject, facts: L.facts })
    .from(L)
    .where(and(eq(L.listId, listId), isAmong(L.subject, subjects)))
    .orderBy(asc(L.id)),
);

const RECORD_COLUMNS = {
  ...{ id: R.id, listId: R.listId, uri: R.uri, kind: R.kind, label: R.label, preferred: R.preferred },
  ...{ variants: R.variants, dateBegin: R.dateBegin, dateEnd: R.dateEnd, scope: R.scope },
};

/** Finds the records of a list with some URIs, a JSON list. */
export const findByUris = prepare(({ listId, uris }: Named<OfList & { readonly uris: string }>) =>
  query
    .select(RECORD_COLUMNS)
    .from(R)
    .where(and(eq(R.listId, listId), isAmong(R.uri, uris))),
);

/** Finds records by their ids, a JSON list. */
export const findByIds = prepare(({ ids }: Named<{ readonly ids: string }>) =>
  query.select(RECORD_COLUMNS).from(R).where(isAmong(R.id, ids)),
);

type RecordRow = Pick<typeof R.$inferSelect, keyof typeof RECORD_COLUMNS>;

/** A record with its id and that of its list. */
export type StoredRecord = NumberedRecord & { readonly listId: number };

/** Returns the record of a row. */
export function toRecord({ preferred, variants, dateBegin, dateEnd, scope, kind, ...row }: RecordRow): StoredRecord {
  return {
    ...row,
    kind: kind as AuthorityRecord['kind'],
    preferred: JSON.parse(preferred),
    variants: JSON.parse(variants),
    dateBegin: dateBegin ?? undefined,
    dateEnd: dateEnd ?? undefined,
    scope: scope ?? undefined,
  };
}

/** Deletes some of the records of a list. */
export const deleteSomeRecords = prepare(({ listId, limit }: Named<OfList & { readonly limit: number }>) =>
  plain(sql`DELETE FROM ${R} WHERE ${R.id} IN (SELECT ${R.id} FROM ${R}
    WHERE ${R.id} > ${listId} * ${sql.raw(String(RECORDS_PER_LIST))}
      AND ${R.id} < (${listId} + 1) * ${sql.raw(String(RECORDS_PER_LIST))} LIMIT ${limit})`),
);

/** Deletes some of the leftovers of a list. */
export const deleteSomeLeftovers = prepare(({ listId, limit }: Named<OfList & { readonly limit: number }>) =>
  plain(sql`DELETE FROM ${L} WHERE ${L.id} IN (SELECT ${L.id} FROM ${L} WHERE ${L.listId} = ${listId} LIMIT ${limit})`),
);

/** Finds the lists in some states, by name. */
export function findLists(...states: readonly (typeof authorityLists.$inferSelect)['state'][]) {
  return statementOf(
    query
      .select()
      .from(authorityLists)
      .where(inArray(authorityLists.state, [...states]))
      .orderBy(asc(authorityLists.name)),
  );
}
