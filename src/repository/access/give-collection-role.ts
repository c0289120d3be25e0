import { eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { collectionRoles } from '../../database/schema/access.ts';
import { nodes } from '../../database/schema/content.ts';
import { users } from '../../database/schema/users.ts';
import { namesOf } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { openToLinks } from './anchor.ts';

/** A role that a user holds for a collection. */
export interface CollectionRole {
  readonly nid: number;
  readonly userId: number;
  readonly role: string;
}

const insertRole = prepare(({ nid, userId, role }: Named<CollectionRole>) =>
  plain(sql`INSERT INTO ${collectionRoles} (${namesOf(collectionRoles.nid, collectionRoles.userId, collectionRoles.role)})
    SELECT ${nodes.id}, ${users.id}, ${role} FROM ${nodes} CROSS JOIN ${users}
    WHERE ${nodes.id} = ${nid} AND ${users.id} = ${userId} AND ${isNull(users.deletedAt)} ON CONFLICT DO NOTHING`),
);
const deleteRole = prepare(({ nid, userId, role }: Named<CollectionRole>) =>
  plain(sql`DELETE FROM ${collectionRoles} WHERE ${collectionRoles.nid} = ${nid}
    AND ${collectionRoles.userId} = ${userId} AND ${collectionRoles.role} = ${role}`),
);
const rolesOf = prepare(({ nid }: Named<{ readonly nid: number }>) =>
  query
    .select({ userId: users.id, name: users.name, role: collectionRoles.role })
    .from(collectionRoles)
    .innerJoin(users, eq(users.id, collectionRoles.userId))
    .where(eq(collectionRoles.nid, nid))
    .orderBy(sql`${users.name} COLLATE NOCASE`, collectionRoles.role),
);

type RoleServices = Parameters<typeof openToLinks>[0];

/**
 * Gives a user a role for a collection and everything below it. First all members get to refer to the collection, which takes
 * some seconds for 100,000 of them.
 */
export async function giveCollectionRole(services: RoleServices, given: CollectionRole): Promise<void> {
  await openToLinks(services, given.nid);
  await services.database.write([insertRole(given)]);
  await services.access.refresh();
}

/** Takes a role for a collection away from a user: it no longer holds for the next request. */
export async function takeCollectionRole(services: RoleServices, taken: CollectionRole): Promise<void> {
  await services.database.write([deleteRole(taken)]);
  await services.access.refresh();
}

/** Returns the roles that users hold for a collection, by the names of the users. */
export function findRolesOfCollection(
  database: Database,
  nid: number,
): Promise<{ readonly userId: number; readonly name: string; readonly role: string }[]> {
  return database.all(rolesOf({ nid }));
}
