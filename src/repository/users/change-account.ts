import { and, eq, type SQL, sql } from 'drizzle-orm';
import { ServiceError, unprocessable } from '../../base/errors.ts';
import { failedGuard, failedUniqueness } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { type UserRow, users } from '../../database/schema/users.ts';
import { failIf, isAmong, requireOne } from '../../database/sql.ts';
import { type Statement, statementOf } from '../../database/statement.ts';
import type { BaseServices } from '../base-services.ts';
import { checkMail, checkName, checkRoles } from './account-problems.ts';
import { normalizeName, type User } from './find-user.ts';
import { endSessions, removeLinks } from './manage-users.ts';

/** The new values of an account. Missing ones stay. */
export interface AccountChange {
  readonly name?: string;
  /** Null for none. */
  readonly mail?: string | null;
  readonly roles?: readonly string[];
  readonly isBlocked?: boolean;
}

/** A name that another account has. */
export class NameTaken extends ServiceError {
  constructor(name: string) {
    super('unprocessable', `The user name ${name} is already in use.`);
  }
}

/**
 * Changes an account that has not changed since `user` was read. A blocked user's sessions end; links end with a block
 * and with a new mail address, since they may have been sent to the earlier one. Throws `unprocessable` for invalid values and for a
 * change after which no active administrator would remain, and `conflict` if the account changed meanwhile.
 */
export async function changeAccount(services: BaseServices, user: User, wanted: AccountChange): Promise<void> {
  const changed = checked(services, user, wanted);
  if (Object.keys(changed).length > 0) await writeChange(services, user, changed);
}

/** Changes columns of an account as `changeAccount` does, and carries out further statements in the same batch. */
export async function writeChange(
  { database, model, now }: BaseServices,
  user: User,
  changed: Partial<UserRow>,
  more: Statement[] = [],
): Promise<void> {
  const { row } = user;
  const userId = row.id;
  const endsLinks = changed.status === false || changed.mail !== undefined;
  try {
    await database.write({
      changed: statementOf(
        query
          .update(users)
          .set({ ...changed, changed: now() })
          .where(isAsRead(row)),
      ),
      isChanged: requireOne('stale'),
      ended: changed.status === false ? [endSessions({ userId })] : [],
      unlinked: endsLinks ? removeLinks({ userId }) : [],
      more,
      guards: keepsAdministrator(model, user, changed),
    });
  } catch (error) {
    if (failedUniqueness(error) !== undefined) throw new NameTaken(changed.name ?? row.name);
    const guard = failedGuard(error);
    if (guard === 'guard_lost') throw unprocessable('At least one active administrator must remain.');
    if (guard === 'guard_stale')
      throw new ServiceError('conflict', 'The account was changed meanwhile. Check it, and try again.', {
        cause: error,
      });
    throw error;
  }
}

type ChangedColumns = Partial<Pick<UserRow, 'name' | 'mail' | 'roles' | 'status'>>;

/** Returns the columns that differ. Only new values are checked: an earlier version may have allowed the others. */
function checked({ model }: BaseServices, { row, roles }: User, wanted: AccountChange): ChangedColumns {
  const changed: ChangedColumns = {};
  const name = wanted.name === undefined ? row.name : normalizeName(wanted.name);
  if (name !== row.name) {
    checkName(name);
    changed.name = name;
  }
  const { mail = row.mail, isBlocked = !row.status } = wanted;
  if (mail !== row.mail) {
    if (mail !== null) checkMail(mail);
    changed.mail = mail;
  }
  if (isBlocked === row.status) changed.status = !isBlocked;
  const newRoles = [...new Set(wanted.roles ?? roles)];
  checkRoles(
    model.roles,
    newRoles.filter((role) => !roles.includes(role)),
  );
  if (newRoles.length !== roles.length || newRoles.some((role) => !roles.includes(role)))
    changed.roles = JSON.stringify(newRoles);
  return changed;
}

/** Returns the condition that a row still has the values that were read. */
function isAsRead({ id, name, mail, status, roles, credentialsChanged }: UserRow): SQL | undefined {
  return and(
    eq(users.id, id),
    eq(users.name, name),
    sql`${users.mail} IS ${mail}`,
    eq(users.status, status),
    eq(users.roles, roles),
    eq(users.credentialsChanged, credentialsChanged),
  );
}

/** Returns the guard that an active user with a role of administrators remains, if the change may affect that. */
function keepsAdministrator(model: BaseServices['model'], { roles }: User, changed: Partial<UserRow>): Statement[] {
  const names = [...model.roles.values()].flatMap(({ name, isAdmin }) => (isAdmin ? name : []));
  const mayAffect = changed.status === false || changed.roles !== undefined;
  if (!mayAffect || !roles.some((role) => names.includes(role))) return [];
  const held = sql`(SELECT 1 FROM json_each(${users.roles}) AS held WHERE ${isAmong(sql`held.value`, JSON.stringify(names))})`;
  const remaining = query
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.status, true), sql`EXISTS ${held}`));
  return [statementOf(failIf('lost', sql`NOT EXISTS ${remaining}`))];
}
