import type { Database } from '../../database/database.ts';
import { ANONYMOUS_ID } from '../actor.ts';

/** A user as an administrator sees them in a list. */
export interface ListedUser {
  readonly id: number;
  readonly name: string;
  readonly mail: string | undefined;
  readonly isBlocked: boolean;
  readonly roles: readonly string[];
}

/** Every user but the anonymous one, by id. */
export async function listUsers({ client }: Database): Promise<ListedUser[]> {
  const { rows } = await client.execute({
    sql: 'SELECT id, name, mail, status, roles FROM user WHERE id <> ? ORDER BY id',
    args: [ANONYMOUS_ID],
  });
  return rows.map((row) => ({
    id: Number(row[0]),
    name: String(row[1]),
    mail: row[2] === null ? undefined : String(row[2]),
    isBlocked: Number(row[3]) === 0,
    roles: JSON.parse(String(row[4])) as string[],
  }));
}
