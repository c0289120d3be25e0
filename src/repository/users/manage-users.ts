import { eq } from 'drizzle-orm';
import { hashPassword } from '../../auth/password.ts';
import { ServiceError, unprocessable } from '../../base/errors.ts';
import { failedUniqueness } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { mailChanges, passwordResets, sessions, type UserRow, users } from '../../database/schema/users.ts';
import { type Named, prepare, statementOf } from '../../database/statement.ts';
import type { BaseServices } from '../base-services.ts';
import { checkMail, checkName, checkRoles } from './account-problems.ts';
import { normalizeName, type User } from './find-user.ts';
import { forgetFailures } from './flood-store.ts';

export interface NewUser {
  readonly name: string;
  /** Without a password, the user cannot sign in yet. */
  readonly password?: string;
  readonly mail?: string;
  readonly roles?: readonly string[];
  /** Set for the first users only. */
  readonly id?: number;
  readonly uuid?: string;
}

/** Creates a user and returns its id. Throws `unprocessable` for an invalid name or role, or a name in use. */
export async function createUser(services: BaseServices, user: NewUser): Promise<number> {
  const name = normalizeName(user.name);
  checkName(name);
  if (user.mail !== undefined) checkMail(user.mail);
  checkRoles(services.model.roles, user.roles ?? []);
  try {
    return await insertUser(services, user);
  } catch (error) {
    if (failedUniqueness(error) === undefined) throw error;
    throw unprocessable(`The user name ${name} is already in use.`);
  }
}

/** Inserts a user and returns its id. Rejects with a failed uniqueness for a name, id or UUID in use. */
export async function insertUser({ database, model, now }: BaseServices, user: NewUser): Promise<number> {
  const hash = user.password === undefined ? null : await hashPassword(user.password);
  const time = now();
  const { inserted } = await database.write({
    inserted: statementOf(
      query
        .insert(users)
        .values({
          ...(user.id !== undefined && { id: user.id }),
          uuid: user.uuid ?? Bun.randomUUIDv7(),
          name: normalizeName(user.name),
          mail: user.mail ?? null,
          passwordHash: hash,
          status: user.id !== 0,
          roles: JSON.stringify(user.roles ?? []),
          langcode: model.defaultLanguage,
          preferredLangcode: model.defaultLanguage,
          preferredAdminLangcode: null,
          timezone: 'UTC',
          created: time,
          changed: time,
          access: 0,
          login: 0,
          init: user.mail ?? null,
          layout: model.userBundle.layout,
          isDangling: false,
          fields: '{}',
        })
        .returning({ id: users.id }),
    ),
  });
  return (inserted[0] as { id: number }).id;
}

type UserChange = Partial<Pick<UserRow, 'passwordHash' | 'status' | 'roles'>>;

const change = ({ now }: BaseServices, { row }: User, changed: UserChange) =>
  statementOf(
    query
      .update(users)
      .set({ ...changed, changed: now() })
      .where(eq(users.id, row.id)),
  );

/** Ends all sessions of a user. */
export const endSessions = prepare(({ userId }: Named<{ userId: number }>) =>
  query.delete(sessions).where(eq(sessions.userId, userId)),
);
const removeResetLink = prepare(({ userId }: Named<{ userId: number }>) =>
  query.delete(passwordResets).where(eq(passwordResets.userId, userId)),
);

const removeMailChange = prepare(({ userId }: Named<{ userId: number }>) =>
  query.delete(mailChanges).where(eq(mailChanges.userId, userId)),
);

/** Returns the statements that end the links of a user: to a new password, and to confirm a new mail address. */
export const removeLinks = (user: { readonly userId: number }) => [removeResetLink(user), removeMailChange(user)];

/** Sets a password, ends the user's sessions and links, and removes the failed sign-ins of the name. */
export async function setPassword(services: BaseServices, user: User, password: string): Promise<void> {
  const { database } = services;
  const userId = user.row.id;
  const passwordHash = await hashPassword(password);
  await database.write({
    changed: change(services, user, { passwordHash }),
    ended: endSessions({ userId }),
    unlinked: removeLinks({ userId }),
    forgotten: await forgetFailures(database, user.row.name),
  });
}

/** Blocks a user and ends the user's sessions and links, or unblocks the user. */
export async function setBlocked(services: BaseServices, user: User, isBlocked: boolean): Promise<void> {
  await services.database.write({
    changed: change(services, user, { status: !isBlocked }),
    ended: isBlocked ? [endSessions({ userId: user.row.id }), ...removeLinks({ userId: user.row.id })] : [],
  });
}

/** Replaces the roles of a user. Throws `unprocessable` for a new role that the model lacks. */
export async function setRoles(services: BaseServices, user: User, roles: readonly string[]): Promise<void> {
  // A held role that the model lacks grants nothing, and must not prevent other changes.
  checkRoles(
    services.model.roles,
    roles.filter((role) => !user.roles.includes(role)),
  );
  await services.database.write({ changed: change(services, user, { roles: JSON.stringify([...new Set(roles)]) }) });
}

/** Returns the user. Throws `not-found` for an unknown name, a deleted account and the anonymous user. */
export function known(user: User | undefined, name: string): User {
  if (user && user.row.id !== 0 && user.row.deletedAt === null) return user;
  throw new ServiceError('not-found', `Unknown user ${name}.`);
}
