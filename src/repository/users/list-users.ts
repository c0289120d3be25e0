import { ne } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { users } from '../../database/schema/users.ts';
import { prepare } from '../../database/statement.ts';
import { ANONYMOUS_ID } from '../actor.ts';

/** A user in a list for administrators. */
export interface ListedUser {
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
    .where(ne(users.id, ANONYMOUS_ID))
    .orderBy(users.id),
);

/** Returns every user except the anonymous one, by id. */
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
