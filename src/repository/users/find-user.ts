import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { prepareFindRow } from '../../database/find-one.ts';
import { type UserRow, users } from '../../database/schema/users.ts';

export interface User {
  readonly row: UserRow;
  readonly roles: readonly string[];
}

export interface FindUser {
  byId(id: number): Promise<User | undefined>;
  /** Upper and lower case of the letters A to Z are the same. */
  byName(name: string): Promise<User | undefined>;
}

/** Prepares the reading of users once. */
export function createFindUser(database: Database): FindUser {
  const byId = prepareFindRow(database, users, eq(users.id, sql.placeholder('id')));
  const isNamed = sql`${users.name} = ${sql.placeholder('name')} COLLATE NOCASE`;
  const byName = prepareFindRow(database, users, isNamed);
  const toUser = (row: UserRow | undefined): User | undefined =>
    row && { row, roles: JSON.parse(row.roles) as string[] };
  return {
    byId: async (id) => toUser(await byId(id)),
    byName: async (name) => toUser(await byName(usualName(name))),
  };
}

/** One person's `é` is one character and another's two, depending on the keyboard (RFC 8265 section 3.3). */
export function usualName(name: string): string {
  return name.normalize('NFC');
}
