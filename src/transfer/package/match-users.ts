import { sql } from 'drizzle-orm';
import { users as userTable } from '../../database/schema/users.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { Services } from '../../repository/content/services.ts';
import { usualName } from '../../repository/users/find-user.ts';
import type { Here } from './known-here.ts';

const findNamed = prepare(({ names }: Named<{ names: string }>) =>
  plain(
    sql`SELECT ${userTable.id}, ${userTable.uuid}, j.value FROM json_each(${names}) j
      JOIN ${userTable} ON ${userTable.name} = j.value COLLATE NOCASE`,
    { id: userTable.id, uuid: userTable.uuid, asked: sql<string>`value` },
  ),
);

/** Notes the users of a package that the repository has: those of the same name. No account is ever made. */
export async function matchUsers(
  { database }: Services,
  users: ReadonlyMap<string, string>,
  here: Here,
): Promise<void> {
  const names = JSON.stringify([...new Set([...users.values()].map(usualName))]);
  const rows = await database.all(findNamed({ names }));
  const found = new Map(rows.map(({ id, uuid, asked }) => [asked, { id, uuid }]));
  for (const [uuid, name] of users) {
    const user = found.get(usualName(name));
    if (user) here.set(uuid, { type: 'user', ...user, bundle: '', sha256: undefined });
  }
}
