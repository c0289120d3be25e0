import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { type UserRow, users } from '../../database/schema/users.ts';
import { type Named, prepare } from '../../database/statement.ts';

export interface User {
  readonly row: UserRow;
  readonly roles: readonly string[];
}

export interface FindUser {
  byId(id: number): Promise<User | undefined>;
  /** Upper and lower case of the letters A to Z are the same. */
  byName(name: string): Promise<User | undefined>;
}

const userById = prepare(({ id }: Named<{ id: number }>) => query.select().from(users).where(eq(users.id, id)));
const userByName = prepare(({ name }: Named<{ name: string }>) =>
  query.select().from(users).where(sql`${users.name} = ${name} COLLATE NOCASE`),
);

/** Creates the reading of users. */
export function createFindUser(database: Database): FindUser {
  const toUser = (row: UserRow | undefined): User | undefined =>
    row && { row, roles: JSON.parse(row.roles) as string[] };
  return {
    byId: async (id) => toUser(await database.get(userById({ id }))),
    byName: async (name) => toUser(await database.get(userByName({ name: usualName(name) }))),
  };
}

/** One person's `é` is one character and another's two, depending on the keyboard (RFC 8265 section 3.3). */
export function usualName(name: string): string {
  return name.normalize('NFC');
}
