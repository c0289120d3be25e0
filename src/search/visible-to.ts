import type { Visibility } from '../repository/access-rule.ts';
import type { Viewer } from './search-types.ts';

/** Returns whether a viewer with this visibility may view a node or a term. */
export function isVisibleTo(
  { id, isAuthenticated }: Viewer,
  { published, unpublished }: Visibility,
  { status, ownerId }: { readonly status: boolean; readonly ownerId: number },
): boolean {
  if (status) return published;
  return unpublished === 'all' || (unpublished === 'own' && isAuthenticated && id === ownerId);
}
