import { and, eq, notExists, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Database } from '../database/database.ts';
import { query } from '../database/query-builder.ts';
import { terms } from '../database/schema/content.ts';
import { mergedTerms, references } from '../database/schema/references.ts';
import { failIf, namesOf, nested } from '../database/sql.ts';
import { type Named, plain, prepare } from '../database/statement.ts';
import type { Waker } from '../runs/waker.ts';
import { refersTo } from './relations.ts';

/** The services that a merge needs. */
export interface MergeServices {
  /** Wakes the task that moves references. */
  readonly merges: Waker;
  /** Tells the task of reports of similar terms that there is one to make. */
  readonly reports: Waker;
}

/** Returns the condition that a term was merged into another one. */
export function isMerged(id: SQLiteColumn): SQL<boolean> {
  return nested(sql<boolean>`EXISTS (SELECT 1 FROM ${mergedTerms} WHERE ${mergedTerms.id} = ${id})`);
}

const mergedById = prepare(({ id }: Named<{ id: number }>) =>
  query.select({ intoId: mergedTerms.intoId }).from(mergedTerms).where(eq(mergedTerms.id, id)),
);

/** Returns the id of the term into which a term was merged; undefined if it was not. */
export async function findMergedInto(database: Database, id: number): Promise<number | undefined> {
  return (await database.get(mergedById({ id })))?.intoId;
}

/** A term to which references move. */
export interface ReplacingTerm {
  readonly id: number;
  readonly uuid: string;
  readonly bundle: string;
  readonly label: string;
}

const replacing = prepare(({ id }: Named<{ id: number }>) => {
  const { uuid, bundle, label } = terms;
  const target = sql`coalesce((SELECT ${mergedTerms.intoId} FROM ${mergedTerms} WHERE ${mergedTerms.id} = ${id}), ${id})`;
  return query.select({ id: terms.id, uuid, bundle, label }).from(terms).where(sql`${terms.id} = ${target}`);
});

/** Returns a term, or the one into which it was merged since. Undefined if it was deleted. */
export function findReplacing(database: Database, id: number): Promise<ReplacingTerm | undefined> {
  return database.get(replacing({ id }));
}

const USES = sql`${references} INDEXED BY reference_target`;

/** A JSON list of texts such as `node 12`. */
type Skipped = { readonly skipped: string };

/** Returns the condition that a reference to a term has a source that is not to be skipped. */
const isLeft = (id: SQLWrapper, skipped: SQLWrapper) =>
  sql`${refersTo(references, 'taxonomy_term', id)} AND ${references.sourceType} || ' ' || ${references.sourceId} NOT IN (
    SELECT value FROM json_each(${skipped}))`;

/** The next sources of references to a term, without those to skip. */
export const nextSources = prepare(({ id, skipped, limit }: Named<Skipped & { id: number; limit: number }>) => {
  const { sourceType, sourceId } = references;
  return plain(
    sql`SELECT DISTINCT ${sourceType}, ${sourceId} FROM (SELECT ${namesOf(sourceType, sourceId)} FROM ${USES}
      WHERE ${isLeft(id, skipped)} LIMIT ${limit}) AS ${references}`,
    { type: sourceType, id: sourceId },
  );
});

/** Counts the references to a term. */
export const countUses = prepare(({ id }: Named<{ id: number }>) =>
  query
    .select({ uses: sql<number>`count(*)`.as('uses') })
    .from(references)
    .where(refersTo(references, 'taxonomy_term', id)),
);

/** Fails a batch that removes the row of a merged term while there are references to move. */
export const failIfUsed = prepare(({ id, skipped, intoId }: Named<Skipped & { id: number; intoId: number }>) =>
  failIf(
    'stale',
    sql`EXISTS (SELECT 1 FROM ${USES} WHERE ${isLeft(id, skipped)}) AND EXISTS (
      SELECT 1 FROM ${terms} WHERE ${terms.id} = ${intoId})`,
  ),
);

/** Fails a batch if a term has another version than it was read with. */
export const failIfChanged = prepare(({ id, version }: Named<{ id: number; version: number }>) => {
  const same = query
    .select({ id: terms.id })
    .from(terms)
    .where(and(eq(terms.id, sql`${id}`), eq(terms.version, sql`${version}`)));
  return failIf('stale', sql`${notExists(same)}`);
});
