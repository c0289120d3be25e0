import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { isText, isTextWithoutIndex } from '../database/sql.ts';
import type { EntityType, FieldValues } from '../model/content-model.ts';

/** The field by which a node is a member of other nodes: of collections, books and newspapers. */
export const MEMBER_OF = 'field_member_of';
/** The field by which a media belongs to nodes. */
export const MEDIA_OF = 'field_media_of';

/** The table of references, or an alias of it. */
type Reference = Readonly<Record<'sourceType' | 'sourceId' | 'field' | 'targetType' | 'targetId', SQLiteColumn>>;

/** A column, value or expression with an id. */
type Id = SQLWrapper;

/**
 * Returns the condition that the source of a reference is a member of a node; without `node`, of any. The database reads the
 * members of a node from the index of targets, by weight and then by id. For DISTINCT sources, or an order by their ids, it
 * would read the sources of all nodes instead.
 */
export function isMemberOf(reference: Reference, node?: Id): SQL {
  return hasTarget(reference, 'node', MEMBER_OF, node);
}

/** Returns the condition that the source of a reference is a media of a node; without `node`, of any. See `isMemberOf`. */
export function isMediaOf(reference: Reference, node?: Id): SQL {
  return hasTarget(reference, 'media', MEDIA_OF, node);
}

/**
 * Returns the condition that the target of a reference is a node that `member` is a member of. The database reads them from
 * the index of sources. Without `member`, the query restricts the sources itself.
 */
export function isParentOf(reference: Reference, member?: Id): SQL {
  return hasSource(reference, 'node', MEMBER_OF, member);
}

/** Returns the condition that the target of a reference is a node of a media. See `isParentOf`. */
export function isNodeOf(reference: Reference, media?: Id): SQL {
  return hasSource(reference, 'media', MEDIA_OF, media);
}

/** Returns the condition that the source of a reference uses an entity, in any field; without `id`, any one of the type. */
export function refersTo(reference: Reference, type: EntityType, id?: Id): SQL {
  return sql`${isText(reference.targetType, type)}${idOf(reference.targetId, id)}`;
}

function hasTarget(reference: Reference, sourceType: EntityType, field: string, node: Id | undefined): SQL {
  const { targetType, targetId } = reference;
  return sql`${isText(targetType, 'node')}${idOf(targetId, node)} AND ${isText(reference.sourceType, sourceType)}
    AND ${isText(reference.field, field)}`;
}

function hasSource(reference: Reference, type: EntityType, field: string, id: Id | undefined): SQL {
  const { sourceType, sourceId, targetType } = reference;
  return sql`${isText(sourceType, type)}${idOf(sourceId, id)} AND ${isText(reference.field, field)}
    AND ${isTextWithoutIndex(targetType, 'node')}`;
}

const idOf = (column: SQLiteColumn, id: Id | undefined): SQL =>
  id === undefined ? sql`` : sql` AND ${column} = ${id}`;

/** Returns the ids of the nodes to which a media belongs, by its values. */
export function nodesOfMedia(values: FieldValues): number[] {
  return (values[MEDIA_OF] ?? []).map(({ target_id }) => Number(target_id));
}
