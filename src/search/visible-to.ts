import { CLOSED, OPEN } from '../repository/access/sight.ts';
import type { Visibility } from '../repository/access-rule.ts';
import type { Viewer } from './search-types.ts';

interface Owned {
  readonly status: boolean;
  readonly ownerId: number;
}

/** A node as far as its visibility depends on it. */
export interface ViewedNode extends Owned {
  readonly bundle: string;
  readonly accessSet: number;
}

/** Returns whether a viewer may view a term. */
export function isTermVisibleTo(viewer: Viewer, term: Owned): boolean {
  return isOfVisibleStatus(viewer, viewer.terms, term);
}

/** Returns whether a viewer may view a node. */
export function isNodeVisibleTo(viewer: Viewer, node: ViewedNode): boolean {
  return (
    (isOfVisibleStatus(viewer, viewer.nodes, node) || isVisibleDraft(viewer, node)) &&
    (verdictOf(viewer, node.accessSet) !== CLOSED || isExempt(viewer, node))
  );
}

/** Returns whether a viewer may view the texts of the media of a node that the viewer may view. */
export function areTextsVisibleTo(viewer: Viewer, node: ViewedNode): boolean {
  return viewer.viewsMedia && (verdictOf(viewer, node.accessSet) === OPEN || isExempt(viewer, node));
}

/** Returns the verdict of access rules about nodes of a set (`Sight.verdicts`). */
export function verdictOf({ access }: Viewer, setId: number): number {
  return access.isUnlimited || setId === 0 ? OPEN : (access.verdicts[setId - 1] ?? CLOSED);
}

function isExempt(viewer: Viewer, { ownerId, bundle }: ViewedNode): boolean {
  return (viewer.isAuthenticated && viewer.id === ownerId) || viewer.access.editedTypes.includes(bundle);
}

function isVisibleDraft({ access }: Viewer, { status, accessSet }: ViewedNode): boolean {
  return !status && access.drafts[accessSet - 1] === 1;
}

function isOfVisibleStatus(
  { id, isAuthenticated }: Viewer,
  { published, unpublished }: Visibility,
  { status, ownerId }: Owned,
): boolean {
  if (status) return published;
  return unpublished === 'all' || (unpublished === 'own' && isAuthenticated && id === ownerId);
}
