import { and, asc, count, desc, eq, isNull, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { users } from '../../database/schema/users.ts';
import { statementOf } from '../../database/statement.ts';
import { ANONYMOUS_ID } from '../actor.ts';

export const PEOPLE_SORTS = ['name', 'created', 'login'] as const;
type PeopleSort = (typeof PEOPLE_SORTS)[number];

/** Which accounts a list shows. */
export interface PeopleFilter {
  /** A part of the name or of the mail address. */
  readonly text?: string | undefined;
  readonly role?: string | undefined;
  readonly status?: 'active' | 'blocked' | undefined;
  readonly sort: PeopleSort;
  /** Counts from 0. */
  readonly page: number;
}

/** An account in a list. Times are seconds since 1970, 0 for never. */
export interface Person {
  readonly id: number;
  readonly name: string;
  readonly mail: string | null;
  readonly status: boolean;
  readonly roles: readonly string[];
  readonly created: number;
  readonly login: number;
}

export const PEOPLE_PER_PAGE = 50;

const ORDERS: Readonly<Record<PeopleSort, SQL>> = {
  name: asc(sql`${users.name} COLLATE NOCASE`),
  created: desc(users.created),
  login: desc(users.login),
};

/** Returns a page of the accounts that match a filter, and the number of all. */
export async function findPeople(
  database: Database,
  { text, role, status, sort, page }: PeopleFilter,
): Promise<{ readonly people: readonly Person[]; readonly total: number }> {
  const condition = and(
    ne(users.id, ANONYMOUS_ID),
    isNull(users.deletedAt),
    text === undefined ? undefined : or(contains(users.name, text), contains(users.mail, text)),
    role === undefined
      ? undefined
      : sql`EXISTS (SELECT 1 FROM json_each(${users.roles}) AS held WHERE held.value = ${role})`,
    status === undefined ? undefined : eq(users.status, status === 'active'),
  );
  const { id, name, mail, created, login } = users;
  const { rows, total } = await database.read({
    rows: statementOf(
      query
        .select({ id, name, mail, status: users.status, roles: users.roles, created, login })
        .from(users)
        .where(condition)
        .orderBy(ORDERS[sort], users.id)
        .limit(PEOPLE_PER_PAGE)
        .offset(page * PEOPLE_PER_PAGE),
    ),
    total: statementOf(query.select({ total: count() }).from(users).where(condition)),
  });
  const people = rows.map((row) => ({ ...row, roles: JSON.parse(row.roles) as string[] }));
  return { people, total: total[0]?.total ?? 0 };
}

/** Returns the condition that a column contains a text. Ignores the case of the letters A to Z. */
function contains(column: typeof users.name | typeof users.mail, text: string): SQL {
  return sql`instr(lower(${column}), lower(${text.normalize('NFC')})) > 0`;
}
