import { and, eq, gt, lt } from 'drizzle-orm';
import { hashPassword } from '../../auth/password.ts';
import { newSessionId, storedSessionKey } from '../../auth/session-token.ts';
import { ServiceError, unprocessable } from '../../base/errors.ts';
import { failedGuard } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { passwordResets, type UserRow, users } from '../../database/schema/users.ts';
import { excluded, requireOne } from '../../database/sql.ts';
import { type Named, prepare, statementOf } from '../../database/statement.ts';
import type { BaseServices } from '../base-services.ts';
import type { User } from './find-user.ts';
import { forgetFailures } from './flood-store.ts';
import { endSessions, removeLinks } from './manage-users.ts';
import { type BegunSession, beginSession } from './sessions.ts';

/** The validity of a reset link. */
export const RESET_LINK_HOURS = 24;
const SECONDS_PER_HOUR = 3_600;

/** A reset link: the only copy of its token. */
export interface ResetLink {
  readonly token: string;
  /** Seconds since 1970. */
  readonly expires: number;
}

type NewLink = { userId: number; tokenHash: string; created: number; expires: number };

const saveLink = prepare((values: Named<NewLink>) => {
  const { tokenHash, created, expires } = passwordResets;
  return query
    .insert(passwordResets)
    .values({ userId: values.userId, tokenHash: values.tokenHash, created: values.created, expires: values.expires })
    .onConflictDoUpdate({
      target: passwordResets.userId,
      set: { tokenHash: excluded(tokenHash), created: excluded(created), expires: excluded(expires) },
    });
});
const removeExpired = prepare(({ now }: Named<{ now: number }>) =>
  query.delete(passwordResets).where(lt(passwordResets.expires, now)),
);
const userOfLink = prepare(({ tokenHash, now }: Named<{ tokenHash: string; now: number }>) =>
  query
    .select({ id: users.id, name: users.name })
    .from(passwordResets)
    .innerJoin(users, eq(users.id, passwordResets.userId))
    .where(and(eq(passwordResets.tokenHash, tokenHash), gt(passwordResets.expires, now), eq(users.status, true))),
);
const useLink = prepare(({ tokenHash, now }: Named<{ tokenHash: string; now: number }>) =>
  query.delete(passwordResets).where(and(eq(passwordResets.tokenHash, tokenHash), gt(passwordResets.expires, now))),
);

/** Creates a link with which a user sets a password. Earlier links of the user become invalid. Throws `unprocessable` for a blocked user. */
export async function createResetLink({ database, now }: BaseServices, { row }: User): Promise<ResetLink> {
  if (!row.status) throw unprocessable(`${row.name} is blocked. Unblock the user first.`);
  const token = newSessionId();
  const created = now();
  const expires = created + RESET_LINK_HOURS * SECONDS_PER_HOUR;
  await database.write({
    expired: removeExpired({ now: created }),
    saved: saveLink({ userId: row.id, tokenHash: storedSessionKey(token), created, expires }),
  });
  return { token, expires };
}

/** Returns the user of a valid reset link, without using it up. */
export function findResetUser(
  { database, now }: BaseServices,
  token: string,
): Promise<Pick<UserRow, 'id' | 'name'> | undefined> {
  return database.get(userOfLink({ tokenHash: storedSessionKey(token), now: now() }));
}

/**
 * Sets the password of the user of a reset link, which becomes invalid. Ends the user's sessions, and begins a new one.
 * Returns the id of the user; undefined for an invalid link, and for one that another request has used meanwhile.
 */
export async function setPasswordByLink(
  services: BaseServices,
  token: string,
  password: string,
  session: BegunSession,
): Promise<number | undefined> {
  const { database, now } = services;
  const user = await findResetUser(services, token);
  if (user === undefined) return undefined;
  const passwordHash = await hashPassword(password);
  try {
    await database.write({
      used: useLink({ tokenHash: storedSessionKey(token), now: now() }),
      unused: requireOne('lost'),
      ...newPassword(user.id, passwordHash, now()),
      forgotten: await forgetFailures(database, user.name),
      ...beginSession({ id: user.id, passwordHash }, session, now()),
    });
    return user.id;
  } catch (error) {
    if (failedGuard(error) === undefined) throw error;
    return undefined;
  }
}

/**
 * Changes a password that was `known` when it was checked. Ends all sessions of the user, and begins a new one. Throws
 * `conflict` if the password changed meanwhile, or the user was blocked.
 */
export async function changePassword(
  services: BaseServices,
  user: { readonly id: number; readonly name: string; readonly passwordHash: string },
  password: string,
  session: BegunSession,
): Promise<void> {
  const { database, now } = services;
  const passwordHash = await hashPassword(password);
  try {
    await database.write({
      ...newPassword(user.id, passwordHash, now(), user.passwordHash),
      forgotten: await forgetFailures(database, user.name),
      ...beginSession({ id: user.id, passwordHash }, session, now()),
    });
  } catch (error) {
    if (failedGuard(error) === undefined) throw error;
    throw new ServiceError('conflict', 'The account was changed meanwhile. Sign in again.', { cause: error });
  }
}

/** Returns the statements that replace the password of a user who is not blocked. The batch fails for any other user. */
function newPassword(userId: number, passwordHash: string, now: number, previous?: string) {
  return {
    changed: statementOf(
      query
        .update(users)
        .set({ passwordHash, changed: now })
        .where(
          and(
            eq(users.id, userId),
            eq(users.status, true),
            previous === undefined ? undefined : eq(users.passwordHash, previous),
          ),
        ),
    ),
    isChanged: requireOne('stale'),
    ended: endSessions({ userId }),
    unlinked: removeLinks({ userId }),
  };
}
