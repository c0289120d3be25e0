import type { Actor } from '../actor.ts';
import type { ContentKind } from './kinds.ts';

export interface Condition {
  readonly sql: string;
  readonly args: readonly (string | number)[];
}

/**
 * A condition that holds of the rows of a table which the actor may see. Pages are cut from those alone: a page
 * that is shorter than it should be would tell how much is hidden on it.
 */
export function visibleRows({ access }: ContentKind, actor: Actor, table: string): Condition {
  const visibility = access.visibility(actor);
  const { published } = visibility;
  // Nobody in particular owns nothing, not even what belongs to the anonymous user.
  const unpublished = visibility.unpublished === 'own' && !actor.isAuthenticated ? 'none' : visibility.unpublished;
  if (published && unpublished === 'all') return { sql: 'TRUE', args: [] };
  const hidden = unpublished === 'all' ? 'TRUE' : unpublished === 'own' ? `${table}.owner_id = ?` : 'FALSE';
  return {
    sql: `CASE ${table}.status WHEN 1 THEN ${published ? 'TRUE' : 'FALSE'} ELSE ${hidden} END`,
    args: unpublished === 'own' ? [actor.id] : [],
  };
}
