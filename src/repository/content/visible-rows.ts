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
  const { published, unpublished } = access.visibility(actor);
  if (published && unpublished === 'all') return { sql: 'TRUE', args: [] };
  const hidden = unpublished === 'all' ? 'TRUE' : unpublished === 'own' ? `${table}.owner_id = ?` : 'FALSE';
  return {
    sql: `CASE ${table}.status WHEN 1 THEN ${published ? 'TRUE' : 'FALSE'} ELSE ${hidden} END`,
    args: unpublished === 'own' ? [actor.id] : [],
  };
}
