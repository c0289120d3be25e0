import type { Services } from '../../repository/services.ts';
import { usualName } from '../../repository/users/find-user.ts';
import type { Here } from './known-here.ts';

/** Notes the users of a package that the repository has: those of the same name. No account is ever made. */
export async function matchUsers(
  { database }: Services,
  users: ReadonlyMap<string, string>,
  here: Here,
): Promise<void> {
  const { rows } = await database.client.execute({
    sql: 'SELECT u.id, u.uuid, j.value FROM json_each(?) j JOIN user u ON u.name = j.value COLLATE NOCASE',
    args: [JSON.stringify([...new Set([...users.values()].map(usualName))])],
  });
  const found = new Map(
    (rows as unknown as [number, string, string][]).map(([id, uuid, name]) => [name, { id, uuid }]),
  );
  for (const [uuid, name] of users) {
    const user = found.get(usualName(name));
    if (user) here.set(uuid, { type: 'user', ...user, bundle: '', sha256: undefined });
  }
}
