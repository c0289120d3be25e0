import { and, eq, isNull, ne, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { type UserRow, users } from '../../database/schema/users.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { ANONYMOUS_ID } from '../actor.ts';

export interface User {
  readonly row: UserRow;
  readonly roles: readonly string[];
}

export interface FindUser {
  byId(id: number): Promise<User | undefined>;
  /** Returns existing users in the order of the ids. */
  byIds(ids: readonly number[]): Promise<User[]>;
  /** Ignores the case of the letters A to Z. */
  byName(name: string): Promise<User | undefined>;
}

const userById = prepare(({ id }: Named<{ id: number }>) => query.select().from(users).where(eq(users.id, id)));
const usersById = prepare(({ ids }: Named<{ ids: string }>) =>
  query.select().from(users).where(isAmong(users.id, ids)),
);
const userByName = prepare(({ name }: Named<{ name: string }>) =>
  query.select().from(users).where(sql`${users.name} = ${name} COLLATE NOCASE`),
);

export function createFindUser(database: Database): FindUser {
  const toUser = (row: UserRow | undefined): User | undefined =>
    row && { row, roles: JSON.parse(row.roles) as string[] };
  return {
    byId: async (id) => toUser(await database.get(userById({ id }))),
    async byIds(ids) {
      const rows = new Map((await database.all(usersById({ ids: JSON.stringify(ids) }))).map((row) => [row.id, row]));
      return ids.flatMap((id) => toUser(rows.get(id)) ?? []);
    },
    byName: async (name) => toUser(await database.get(userByName({ name: normalizeName(name) }))),
  };
}

/** Normalizes a name: keyboards enter `é` as one character or as two (RFC 8265 section 3.3). */
export function normalizeName(name: string): string {
  return name.normalize('NFC');
}

interface ListedUser {
  readonly id: number;
  readonly name: string;
  readonly mail: string | undefined;
  readonly isBlocked: boolean;
  readonly roles: readonly string[];
}

const named = prepare(() =>
  query
    .select({ id: users.id, name: users.name, mail: users.mail, status: users.status, roles: users.roles })
    .from(users)
    .where(and(ne(users.id, ANONYMOUS_ID), isNull(users.deletedAt)))
    .orderBy(users.id),
);

/** Returns every user except the anonymous one and deleted ones, by id. */
export async function listUsers(database: Database): Promise<ListedUser[]> {
  const rows = await database.all(named());
  return rows.map(({ id, name, mail, status, roles }) => ({
    id,
    name,
    mail: mail ?? undefined,
    isBlocked: !status,
    roles: JSON.parse(roles) as string[],
  }));
}
