import type { MediaNodes } from '../access-rule.ts';

/** The references of a media to its nodes; `media` is the name of its table in the outer query. */
const nodeReferences = (media: string) => `reference h WHERE h.source_type = 'media' AND h.source_id = ${media}.id
  AND h.field = 'field_media_of' AND h.target_type = 'node'`;

/** Returns the SQL of the nodes that a media belongs to, as one JSON column for `readMediaNodes`. */
export function mediaNodesOf(media: string): string {
  return `json_array(${media}.has_lost_node, json((SELECT json_group_array(json_array(n.bundle, n.owner_id, n.status))
    FROM node n WHERE n.id IN (SELECT h.target_id FROM ${nodeReferences(media)}))))`;
}

/** The parsed column of `mediaNodesOf`. */
export type MediaNodesColumn = readonly [
  hasLostNode: number,
  nodes: readonly [bundle: string, ownerId: number, status: number][],
];

/** Returns the nodes of a media from the column of `mediaNodesOf`, as text or already parsed. */
export function readMediaNodes(column: string | MediaNodesColumn): MediaNodes {
  const [hasLostNode, nodes] = typeof column === 'string' ? (JSON.parse(column) as MediaNodesColumn) : column;
  return {
    nodes: nodes.map(([bundle, ownerId, status]) => ({ bundle, ownerId, status: status === 1 })),
    hasLostNode: hasLostNode === 1,
  };
}

/**
 * Returns the SQL condition that a media's own status decides its visibility: one of its nodes fulfils `visibleNode`, a
 * condition on `n`, or it never had a node.
 */
export function followsVisibleNode(media: string, visibleNode: string): string {
  const references = nodeReferences(media);
  return `CASE WHEN EXISTS (SELECT 1 FROM ${references})
    THEN EXISTS (SELECT 1 FROM node n WHERE n.id IN (SELECT h.target_id FROM ${references}) AND ${visibleNode})
    ELSE ${media}.has_lost_node = 0 END`;
}

/** Returns the SQL of `has_lost_node` after a write of a media's references: false if it now has a node. */
export function lostNodeAfterWrite(media: string): string {
  return `CASE WHEN EXISTS (SELECT 1 FROM ${nodeReferences(media)}) THEN 0 ELSE ${media}.has_lost_node END`;
}
