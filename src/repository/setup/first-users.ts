import { and, eq, inArray, isNull } from 'drizzle-orm';
import { generatePassword, hashPassword } from '../../auth/password.ts';
import { passwordWeakness } from '../../auth/password-policy.ts';
import { failedUniqueness } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { users } from '../../database/schema/users.ts';
import { statementOf } from '../../database/statement.ts';
import { configUuid } from '../../model/config-uuid.ts';
import { ADMINISTRATOR_ID, ANONYMOUS_ID } from '../actor.ts';
import type { Services } from '../content/services.ts';
import { insertUser, type NewUser } from '../users/manage-users.ts';

export const ADMINISTRATOR_NAME = 'admin';

/** The UUID of the anonymous user, the same in every repository. */
export const ANONYMOUS_UUID = configUuid('user', 'anonymous');

const FIRST_USERS: readonly (NewUser & { readonly id: number })[] = [
  { id: ANONYMOUS_ID, name: 'Anonymous', uuid: ANONYMOUS_UUID },
  { id: ADMINISTRATOR_ID, name: ADMINISTRATOR_NAME, roles: ['administrator'] },
];

/** Creates the anonymous user and the administrator, who has no password yet. */
export async function createFirstUsers(services: Services): Promise<void> {
  const ids = FIRST_USERS.map(({ id }) => id);
  const rows = await services.database.all(
    statementOf(query.select({ id: users.id }).from(users).where(inArray(users.id, ids))),
  );
  const present = new Set(rows.map(({ id }) => id));
  for (const user of FIRST_USERS) {
    if (present.has(user.id)) continue;
    try {
      await insertUser(services, user);
    } catch (error) {
      // Another process has created it at the same time.
      if (!['user.id', 'user_name', 'user.uuid'].includes(failedUniqueness(error) ?? '')) throw error;
    }
  }
}

/** A password that an administrator has got. */
interface AdministratorPassword {
  /** The only copy of a generated password. */
  readonly generated: string | undefined;
  /** The weakness of a given password as a sentence: whoever starts the server may choose any. */
  readonly weakness: string | undefined;
}

/**
 * Sets the password of an administrator without one, or generates it. Returns undefined if the administrator has a
 * password. Call it only when the password can be shown.
 */
export async function ensureAdministratorPassword(
  { database, now }: Services,
  password: string | undefined,
): Promise<AdministratorPassword | undefined> {
  const lacksPassword = and(eq(users.id, ADMINISTRATOR_ID), isNull(users.passwordHash), isNull(users.deletedAt));
  const administrator = await database.get(
    statementOf(query.select({ id: users.id }).from(users).where(lacksPassword)),
  );
  if (administrator === undefined) return undefined;
  const chosen = password ?? generatePassword();
  const passwordHash = await hashPassword(chosen);
  const { set } = await database.write({
    set: statementOf(query.update(users).set({ passwordHash, changed: now() }).where(lacksPassword)),
  });
  if (set.changes !== 1) return undefined;
  return password === undefined
    ? { generated: chosen, weakness: undefined }
    : { generated: undefined, weakness: passwordWeakness(password, ADMINISTRATOR_NAME) };
}
