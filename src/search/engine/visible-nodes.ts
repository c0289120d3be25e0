import type { Viewer } from '../search-types.ts';
import { type NodeTable, PUBLISHED, UNPUBLISHED } from './node-table.ts';

/** Returns a function that tells whether the viewer may view a node of the table. Engines decide it nowhere else. */
export function visibleNodes(
  { state, owner }: NodeTable,
  { id, isAuthenticated, nodes }: Viewer,
): (nid: number) => boolean {
  const visible = (nodes.published ? PUBLISHED : 0) | (nodes.unpublished === 'all' ? UNPUBLISHED : 0);
  const ownerId = nodes.unpublished === 'own' && isAuthenticated ? id : -1;
  return (nid) => {
    const its = state[nid] as number;
    return (its & visible) !== 0 || ((its & UNPUBLISHED) !== 0 && owner[nid] === ownerId);
  };
}
