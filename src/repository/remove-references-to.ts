import { and, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { madeOncePer } from '../base/made-once.ts';
import { query } from '../database/query-builder.ts';
import { contentTables, media, revisionTables } from '../database/schema/content.ts';
import { references, removedTargets } from '../database/schema/references.ts';
import { extractedTexts } from '../database/schema/search.ts';
import { isAmong, isText, isTextWithoutIndex, literal, namesOf } from '../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../database/statement.ts';
import type { ContentType } from './access-rule.ts';
import { insertPending, nodesOfMedia } from './pending-nodes.ts';
import { MEDIA_OF, refersTo } from './relations.ts';

/**
 * Returns the maximum number of rows of each kind that one transaction removes, besides one for each removed entity: other requests
 * wait for it.
 */
const sliceOf = (ids: SQLWrapper): SQL => sql`100 + json_array_length(${ids})`;

/** The type of an entity that content can refer to. */
export type RemovedType = (typeof removedTargets.$inferSelect)['type'];

/** A JSON list of ids. */
type Removed = { readonly ids: string };

/** The table of references, or an alias of it. */
type Reference = Readonly<Record<'sourceType' | 'targetType' | 'targetId', SQLiteColumn>>;

const SOURCES: readonly ContentType[] = ['node', 'media', 'taxonomy_term', 'paragraph'];
const held = alias(references, 'held');

/** Returns the sources of a slice of references. Until these are removed, every statement of the slice finds the same. */
function sourcesOf(type: RemovedType, source: ContentType, ids: SQLWrapper): SQL {
  return sql`SELECT ${references.sourceId} AS id FROM ${references} INDEXED BY reference_target
    WHERE ${isText(references.targetType, type)} AND ${isAmong(references.targetId, ids)}
      AND ${isText(references.sourceType, source)} LIMIT ${sliceOf(ids)}`;
}

/** Returns the condition that a reference from a source is to one of the removed entities, by the index of sources. */
function isFrom(reference: Reference, source: ContentType, type: RemovedType, ids: SQLWrapper): SQL {
  return sql`${isText(reference.sourceType, source)} AND ${isTextWithoutIndex(reference.targetType, type)}
    AND +${isAmong(reference.targetId, ids)}`;
}

/** Marks the sources, whose documents still have the references. */
function marking(type: RemovedType, source: ContentType) {
  const table = contentTables[source];
  return prepare(({ ids }: Named<Removed>) => {
    const lost = sql`(SELECT count(DISTINCT ${held.targetId}) FROM ${references} ${held}
      WHERE ${held.sourceId} = ${table.id} AND ${isFrom(held, source, type, ids)})`;
    return query
      .update(table)
      .set({ isDangling: true, version: sql`${table.version} + ${lost}` })
      .where(sql`${table.id} IN (${sourcesOf(type, source, ids)})`);
  });
}

function removing(type: RemovedType, source: ContentType) {
  return prepare(({ ids }: Named<Removed>) =>
    query
      .delete(references)
      .where(
        and(sql`${references.sourceId} IN (${sourcesOf(type, source, ids)})`, isFrom(references, source, type, ids)),
      ),
  );
}

/** Marks the media of removed nodes: they count as unpublished until they have another node. */
const hideMedia = prepare(({ ids }: Named<Removed>) =>
  query
    .update(media)
    .set({ hasLostNode: true })
    .where(sql`${media.id} IN (SELECT ${held.sourceId} FROM ${references} ${held}
      WHERE ${held.sourceId} IN (${sourcesOf('node', 'media', ids)}) AND ${isText(held.field, MEDIA_OF)}
        AND ${isFrom(held, 'media', 'node', ids)})`),
);

/** Makes the nodes pending whose search index has removed entities. */
const indexing: Readonly<Partial<Record<RemovedType, (removed: Removed) => Statement>>> = {
  node: prepare(({ ids }: Named<Removed>) => insertPending(sourcesOf('node', 'node', ids), 0)),
  taxonomy_term: prepare(({ ids }: Named<Removed>) => insertPending(sourcesOf('taxonomy_term', 'node', ids), 0)),
  file: prepare(({ ids }: Named<Removed>) => insertPending(nodesOfMedia(sourcesOf('file', 'media', ids)), 1)),
};

/** The rows of removed entities themselves that one request does not remove if they are many. */
interface OwnRows {
  readonly remove: (removed: Removed) => Statement;
  /** Returns the condition that an entity has such rows. */
  readonly areLeft: (id: SQLWrapper) => SQL;
}

function revisionsOf(type: ContentType): OwnRows {
  const { [type]: table } = revisionTables;
  return {
    remove: prepare(({ ids }: Named<Removed>) =>
      query
        .delete(table)
        .where(
          sql`${table.id} IN (SELECT ${namesOf(table.id)} FROM ${table} WHERE ${isAmong(table.entityId, ids)} LIMIT ${sliceOf(ids)})`,
        ),
    ),
    areLeft: (id) => sql`EXISTS (SELECT 1 FROM ${table} WHERE ${table.entityId} = ${id})`,
  };
}

const { nodeId, mediaId } = extractedTexts;
const TEXTS: OwnRows = {
  remove: prepare(({ ids }: Named<Removed>) =>
    query.delete(extractedTexts).where(sql`(${nodeId}, ${mediaId}) IN (
      SELECT ${namesOf(nodeId, mediaId)} FROM ${extractedTexts} WHERE ${isAmong(nodeId, ids)} LIMIT ${sliceOf(ids)})`),
  ),
  areLeft: (id) => sql`EXISTS (SELECT 1 FROM ${extractedTexts} WHERE ${nodeId} = ${id})`,
};

const statementsOf = madeOncePer((type: RemovedType) => {
  const own = [...(type === 'file' ? [] : [revisionsOf(type)]), ...(type === 'node' ? [TEXTS] : [])];
  const slice = [
    ...(type === 'node' ? [hideMedia] : []),
    ...(indexing[type] ? [indexing[type]] : []),
    ...SOURCES.map((source) => marking(type, source)),
    ...SOURCES.map((source) => removing(type, source)),
    ...own.map(({ remove }) => remove),
  ];
  const areLeft = (id: SQLWrapper) =>
    sql.join(
      [
        sql`EXISTS (SELECT 1 FROM ${references} WHERE ${refersTo(references, type, id)})`,
        ...own.map((rows) => rows.areLeft(id)),
      ],
      sql` OR `,
    );
  return {
    slice,
    /** Stores the removed entities of which rows are left. */
    keep: prepare(({ ids }: Named<Removed>) =>
      plain(sql`INSERT INTO ${removedTargets} (${namesOf(removedTargets.type, removedTargets.id)})
        SELECT ${literal(type)}, j.value FROM json_each(${ids}) j WHERE ${areLeft(sql`j.value`)}
        ON CONFLICT DO NOTHING`),
    ),
    /** Forgets a removed entity of which nothing is left. */
    forget: prepare(({ id }: Named<{ id: number }>) =>
      query
        .delete(removedTargets)
        .where(
          sql`${isText(removedTargets.type, type)} AND ${removedTargets.id} = ${id} AND NOT (${areLeft(removedTargets.id)})`,
        ),
    ),
  };
});

/**
 * Returns statements that remove the references to removed entities, and their revisions and texts. If these are many, they
 * remove the first of them, and store the entities for the task that removes the others. `ids` is a JSON list.
 */
export function removeReferencesTo(type: RemovedType, ids: string): Statement[] {
  return [...removalSlice(type, ids), statementsOf(type).keep({ ids })];
}

/** Returns statements that remove the next references to removed entities, and their own rows. */
export function removalSlice(type: RemovedType, ids: string): Statement[] {
  return statementsOf(type).slice.map((remove) => remove({ ids }));
}

/** Returns the statement that ends the removal of an entity if nothing of it is left. */
export function forgetRemoved(type: RemovedType, id: number): Statement<{ readonly changes: number }> {
  return statementsOf(type).forget({ id });
}
