import { exists, type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { query } from '../../database/query-builder.ts';
import { nodes } from '../../database/schema/content.ts';
import { references } from '../../database/schema/references.ts';
import { nested } from '../../database/sql.ts';
import { accessSetOf } from '../access/set-columns.ts';
import type { MediaNodes } from '../access-rule.ts';
import { isNodeOf } from '../relations.ts';
import { refersToRemoved } from '../removed-targets.ts';

/** The columns of a media in the outer query. */
interface MediaColumns {
  readonly id: SQLiteColumn;
  readonly hasLostNode: SQLiteColumn;
}

const [reference, use] = [alias(references, 'h'), alias(references, 'mv')];
/** The nodes of a media, also in the conditions for `followsVisibleNode`. */
export const mediaNode = alias(nodes, 'n');

/** The ids of the nodes that a media refers to. */
function nodeIdsOf(media: MediaColumns) {
  return query.select({ id: reference.targetId }).from(reference).where(isNodeOf(reference, media.id));
}

/** Returns the nodes that a media belongs to, as one JSON column for `readMediaNodes`. */
export function mediaNodesOf(media: MediaColumns): SQL<string> {
  const { id, bundle, ownerId, status } = mediaNode;
  const nodes = query
    .select({ list: sql`json_group_array(json_array(${bundle}, ${ownerId}, ${status}, ${accessSetOf(id)}))` })
    .from(mediaNode)
    .where(sql`${id} IN ${nodeIdsOf(media)}`);
  const hasLost = sql`CASE WHEN ${media.hasLostNode} = 1 THEN 1 ELSE ${hasRemovedNode(media)} END`;
  return nested(sql`json_array(${hasLost}, json(${nodes}))`);
}

/** Returns the condition that a media still refers to a deleted node, as one of its own. */
export function hasRemovedNode(media: Pick<MediaColumns, 'id'>): SQL {
  return refersToRemoved(reference, isNodeOf(reference, media.id));
}

/** The parsed column of `mediaNodesOf`. */
export type MediaNodesColumn = readonly [
  hasLostNode: number,
  nodes: readonly [bundle: string, ownerId: number, status: number, accessSet: number][],
];

/** Returns the nodes of a media from the column of `mediaNodesOf`, as text or already parsed. */
export function readMediaNodes(column: string | MediaNodesColumn): MediaNodes {
  const [hasLostNode, nodes] = typeof column === 'string' ? (JSON.parse(column) as MediaNodesColumn) : column;
  return {
    nodes: nodes.map(([bundle, ownerId, status, accessSet]) => ({ bundle, ownerId, status: status === 1, accessSet })),
    hasLostNode: hasLostNode === 1,
  };
}

/** Returns the ids of the uses of a media, as a JSON column for `readUseIds`. */
export function mediaUseIds(id: SQLiteColumn): SQL<string> {
  return nested(sql`(SELECT json_group_array(${use.targetId}) FROM ${references} ${use}
    WHERE ${use.sourceType} = 'media' AND ${use.sourceId} = ${id} AND ${use.field} = 'field_media_use')`);
}

/** Returns the ids from the column of `mediaUseIds`, as text or already parsed. */
export function readUseIds(column: string | readonly number[]): readonly number[] {
  return typeof column === 'string' ? (JSON.parse(column) as number[]) : column;
}

/**
 * Returns the condition that a media's own status decides its visibility: one of its nodes fulfils `isVisible`, a
 * condition on `mediaNode`, or it never had a node.
 */
export function followsVisibleNode(media: MediaColumns, isVisible: SQL): SQL {
  const ids = nodeIdsOf(media);
  const visible = query
    .select({ id: mediaNode.id })
    .from(mediaNode)
    .where(sql`${mediaNode.id} IN ${ids} AND ${isVisible}`);
  return sql`CASE WHEN ${exists(ids)} THEN ${exists(visible)} ELSE ${media.hasLostNode} = 0 END`;
}

/** Returns the value of `has_lost_node` after a write of a media's references: false if it now has a node. */
export function lostNodeAfterWrite(media: MediaColumns): SQL {
  return sql`CASE WHEN ${exists(nodeIdsOf(media))} THEN 0 ELSE ${media.hasLostNode} END`;
}
