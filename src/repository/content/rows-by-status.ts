import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Visibility } from '../access-rule.ts';
import type { Actor } from '../actor.ts';

interface StatusColumns {
  readonly status: SQLiteColumn;
  readonly ownerId: SQLiteColumn;
}

interface ViewerId {
  readonly actorId: number | Placeholder;
}

/** Anonymous callers own nothing, not even content of the anonymous user. */
export function withoutAnonymous({ published, unpublished }: Visibility, { isAuthenticated }: Actor): Visibility {
  return { published, unpublished: unpublished === 'own' && !isAuthenticated ? 'none' : unpublished };
}

/**
 * Returns the condition for rows that a visibility lets through by their status and owner. `isDraftVisible` is the condition for
 * further unpublished ones.
 */
export function byStatus(visibility: Visibility, table: StatusColumns, viewer: ViewerId, isDraftVisible?: SQL): SQL {
  if (seesAll(visibility)) return sql`TRUE`;
  const published = visibility.published ? sql`TRUE` : sql`FALSE`;
  const hidden = hiddenRows(visibility, table, viewer);
  return sql`CASE ${table.status} WHEN 1 THEN ${published} ELSE ${isDraftVisible ? sql`${hidden} OR ${isDraftVisible}` : hidden} END`;
}

/** Returns true if every row is visible, whatever its status. */
export const seesAll = ({ published, unpublished }: Visibility) => published && unpublished === 'all';

/** Returns the condition for unpublished rows. */
export function hiddenRows(
  { unpublished }: Visibility,
  { ownerId }: Pick<StatusColumns, 'ownerId'>,
  { actorId }: ViewerId,
): SQL {
  if (unpublished === 'own') return sql`${ownerId} = ${actorId}`;
  return unpublished === 'all' ? sql`TRUE` : sql`FALSE`;
}
