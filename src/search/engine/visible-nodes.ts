import { CLOSED, OPEN } from '../../repository/access/sight.ts';
import type { Viewer } from '../search-types.ts';
import { verdictOf } from '../visible-to.ts';
import { type NodeTable, PUBLISHED, UNPUBLISHED } from './node-table.ts';

/** Returns a function that tells whether the viewer may view a node of the table. Engines decide it nowhere else. */
export function visibleNodes(table: NodeTable, viewer: Viewer): (nid: number) => boolean {
  const { state, owner } = table;
  const { id, isAuthenticated, nodes } = viewer;
  const visible = (nodes.published ? PUBLISHED : 0) | (nodes.unpublished === 'all' ? UNPUBLISHED : 0);
  const ownerId = nodes.unpublished === 'own' && isAuthenticated ? id : -1;
  const { accessSet } = table;
  const { drafts } = viewer.access;
  const isVisibleDraft = (nid: number) => drafts[(accessSet[nid] ?? 0) - 1] === 1;
  const isOfStatus = (nid: number) => {
    const its = state[nid] as number;
    if ((its & visible) !== 0) return true;
    return (its & UNPUBLISHED) !== 0 && (owner[nid] === ownerId || (drafts.length > 0 && isVisibleDraft(nid)));
  };
  const verdict = verdicts(table, viewer);
  return verdict === undefined ? isOfStatus : (nid) => isOfStatus(nid) && verdict(nid) !== CLOSED;
}

/** Returns a function that tells whether the viewer may view the texts of a node; undefined if those of all visible nodes. */
export function visibleTexts(table: NodeTable, viewer: Viewer): ((nid: number) => boolean) | undefined {
  const verdict = viewer.access.hasClosedFiles ? verdicts(table, viewer) : undefined;
  return verdict && ((nid) => verdict(nid) === OPEN);
}

/** Returns the verdict of access rules about each node of the table; undefined if they restrict nothing. */
function verdicts(
  { accessSet, owner, bundle, bundles }: NodeTable,
  viewer: Viewer,
): ((nid: number) => number) | undefined {
  const { id, isAuthenticated, access } = viewer;
  if (access.isUnlimited || accessSet.length === 0) return undefined;
  const own = isAuthenticated ? id : -1;
  const edited = new Uint8Array(256);
  for (const name of access.editedTypes) edited[bundles.get(name) ?? 0] = 1;
  edited[0] = 0;
  return (nid) => {
    const set = accessSet[nid] ?? 0;
    if (set === 0 || owner[nid] === own || edited[bundle[nid] as number] === 1) return OPEN;
    return verdictOf(viewer, set);
  };
}
