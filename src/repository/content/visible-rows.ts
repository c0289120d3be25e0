import { nodeAccess } from '../access.ts';
import type { Visibility } from '../access-rule.ts';
import type { Actor } from '../actor.ts';
import type { ContentKind } from './kinds.ts';
import { followsVisibleNode } from './media-nodes.ts';

/** A condition of a query with its parameters, in their order. */
export interface Condition {
  readonly sql: string;
  readonly args: readonly (string | number)[];
}

const EVERY_ROW: Condition = { sql: 'TRUE', args: [] };

/**
 * Returns the condition for the rows of a table that the actor may see. Paging must follow it: a page that is filtered
 * afterwards would reveal the number of hidden rows. The visibility of media follows their nodes.
 */
export function visibleRows(
  { type, access }: Pick<ContentKind, 'type' | 'access'>,
  actor: Actor,
  table: string,
): Condition {
  const visibility = access.visibility(actor);
  if (type !== 'media' || seesAll(visibility) || !visibility.published) return byStatus(visibility, actor, table);
  const node = byStatus(nodeAccess.visibility(actor), actor, 'n');
  const hidden = hiddenRows(visibility, actor, table);
  return {
    sql: `CASE WHEN ${table}.status = 1 AND ${followsVisibleNode(table, node.sql)} THEN TRUE ELSE ${hidden.sql} END`,
    args: [...node.args, ...hidden.args],
  };
}

/** Returns the same condition without the nodes of media: for media of a node that the actor may view. */
export function visibleByStatus({ access }: Pick<ContentKind, 'access'>, actor: Actor, table: string): Condition {
  return byStatus(access.visibility(actor), actor, table);
}

function byStatus(visibility: Visibility, actor: Actor, table: string): Condition {
  if (seesAll(visibility)) return EVERY_ROW;
  const hidden = hiddenRows(visibility, actor, table);
  return {
    sql: `CASE ${table}.status WHEN 1 THEN ${visibility.published ? 'TRUE' : 'FALSE'} ELSE ${hidden.sql} END`,
    args: hidden.args,
  };
}

const seesAll = ({ published, unpublished }: Visibility) => published && unpublished === 'all';

/** Anonymous callers own nothing, not even content of the anonymous user. */
function hiddenRows({ unpublished }: Visibility, actor: Actor, table: string): Condition {
  if (unpublished === 'all') return EVERY_ROW;
  if (unpublished === 'none' || !actor.isAuthenticated) return { sql: 'FALSE', args: [] };
  return { sql: `${table}.owner_id = ?`, args: [actor.id] };
}
