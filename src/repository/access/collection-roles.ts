import { query } from '../../database/query-builder.ts';
import { collectionRoles } from '../../database/schema/access.ts';
import { prepare } from '../../database/statement.ts';

/** The roles that users hold for collections: by user, then by the id of the collection. */
export type CollectionRoles = ReadonlyMap<number, ReadonlyMap<number, readonly string[]>>;

export const findCollectionRoles = prepare(() => query.select().from(collectionRoles));

/** Returns the roles of rows by user and collection. */
export function rolesOfRows(rows: readonly (typeof collectionRoles.$inferSelect)[]): CollectionRoles {
  const byUser = new Map<number, Map<number, string[]>>();
  for (const { nid, userId, role } of rows) {
    const byNode = byUser.get(userId) ?? new Map<number, string[]>();
    byUser.set(userId, byNode);
    byNode.set(nid, [...(byNode.get(nid) ?? []), role]);
  }
  return byUser;
}

/** Returns the roles that a user holds for at least one of the collections, in the order of their names. */
export function rolesAt(byNode: ReadonlyMap<number, readonly string[]>, collections: Iterable<number>): string[] {
  return [...new Set([...collections].flatMap((id) => byNode.get(id) ?? []))].sort();
}
