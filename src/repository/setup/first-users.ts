import { generatePassword, hashPassword } from '../../auth/password.ts';
import { failedUniqueness } from '../../database/errors.ts';
import { configUuid } from '../../model/config-uuid.ts';
import { ANONYMOUS_ID } from '../actor.ts';
import type { Services } from '../services.ts';
import { insertUser, type NewUser } from '../users/manage-users.ts';

export const ADMINISTRATOR_ID = 1;
export const ADMINISTRATOR_NAME = 'admin';

/** The same everywhere, as the anonymous user is. */
export const ANONYMOUS_UUID = configUuid('user', 'anonymous');

const FIRST_USERS: readonly NewUser[] = [
  { id: ANONYMOUS_ID, name: 'Anonymous', uuid: ANONYMOUS_UUID },
  { id: ADMINISTRATOR_ID, name: ADMINISTRATOR_NAME, roles: ['administrator'] },
];

/** Makes the two users that every repository has: the anonymous one, and the administrator, still without a password. */
export async function makeFirstUsers(services: Services): Promise<void> {
  const { rows } = await services.database.client.execute('SELECT id FROM user WHERE id IN (0, 1)');
  const present = new Set(rows.map((row) => Number(row[0])));
  for (const user of FIRST_USERS) {
    if (present.has(user.id as number)) continue;
    try {
      await insertUser(services, user);
    } catch (error) {
      // Another process that starts at the same moment has made it.
      if (!['user.id', 'user_name', 'user.uuid'].includes(failedUniqueness(error) ?? '')) throw error;
    }
  }
}

/**
 * Gives an administrator who has no password this one, or one that is made up: `generated` is the one time that
 * it is known. Answers undefined if there is a password already. To be called when nothing can keep it from
 * being shown any more.
 */
export async function giveAdministratorPassword(
  { database, now }: Services,
  password: string | undefined,
): Promise<{ generated: string | undefined } | undefined> {
  const { rows } = await database.client.execute({
    sql: 'SELECT 1 FROM user WHERE id = ? AND password_hash IS NULL',
    args: [ADMINISTRATOR_ID],
  });
  if (rows.length === 0) return undefined;
  const chosen = password ?? generatePassword();
  const [result] = await database.write([
    {
      sql: 'UPDATE user SET password_hash = ?, changed = ? WHERE id = ? AND password_hash IS NULL',
      args: [await hashPassword(chosen), now(), ADMINISTRATOR_ID],
    },
  ]);
  const isOurs = result?.rowsAffected === 1;
  return isOurs ? { generated: password === undefined ? chosen : undefined } : undefined;
}
