import type { Row } from '@libsql/client';
import { eq, getTableColumns, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { prepareFindOne } from '../../database/find-one.ts';
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
  const byId = prepareFindOne(database, getTableColumns(users), users, eq(users.id, sql.placeholder('id')), toUserRow);
  const byName = prepareFindOne(
    database,
    getTableColumns(users),
    users,
    sql`${users.name} = ${sql.placeholder('name')} COLLATE NOCASE`,
    toUserRow,
  );
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

function toUserRow(columns: Row): UserRow {
  const row = Object.fromEntries(USER_COLUMNS.map((name, index) => [name, columns[index]]));
  return { ...row, status: row.status === 1, isDangling: row.isDangling === 1 } as UserRow;
}

const USER_COLUMNS = Object.keys(getTableColumns(users));
