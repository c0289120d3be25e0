import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { nodes } from '../../database/schema/content.ts';
import { nodeAccess } from '../access.ts';
import type { Actor } from '../actor.ts';
import { hiddenByRule, type ViewerParameters, visibleRows } from './visible-rows.ts';

/** Nodes as a kind whose visibility queries decide. */
export const NODE_KIND = { type: 'node', access: nodeAccess } as const;

const [hidden, restricted] = [alias(nodes, 'hidden'), alias(nodes, 'restricted')];

/**
 * Returns the condition that the actor may view an existing node, by its id. It reads the index of unpublished nodes
 * only, so that a list skips and counts nodes without their rows, which contain whole documents.
 */
export function isViewableNode(actor: Actor, id: SQL, viewer: ViewerParameters): SQL {
  const { published, unpublished } = nodeAccess.visibility(actor);
  if (!published) return sql`FALSE`;
  const byRule = hiddenByRule(actor, id, { ...restricted, table: sql`${nodes} ${restricted}` }, viewer);
  const isOpen = byRule === undefined ? sql`TRUE` : sql`NOT ${byRule}`;
  if (unpublished === 'all') return isOpen;
  return sql`NOT EXISTS (SELECT 1 FROM ${nodes} ${hidden} INDEXED BY node_unpublished
    WHERE ${hidden.id} = ${id} AND ${hidden.status} = 0 AND NOT ${visibleRows(NODE_KIND, actor, hidden, viewer)})
    AND ${isOpen}`;
}
