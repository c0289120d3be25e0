import { hashPassword } from '../../auth/password.ts';
import { ServiceError, unprocessable } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { failedUniqueness } from '../../database/errors.ts';
import { hasControls } from '../../http/file-name.ts';
import type { Services } from '../services.ts';
import { type User, usualName } from './find-user.ts';
import { forgetFailures } from './flood-store.ts';

/** Of the field `name` (spec: model, base fields of users). */
const MAX_NAME_CHARS = 60;
/** Of an address on the way (RFC 5321 section 4.5.3.1.3). */
const MAX_MAIL_CHARS = 254;
/** Roles that everyone has or nobody gets. */
const IMPLICIT_ROLES = new Set(['anonymous', 'authenticated']);

export interface NewUser {
  readonly name: string;
  /** Left out: an account that cannot sign in until it gets a password. */
  readonly password?: string;
  readonly mail?: string;
  readonly roles?: readonly string[];
  /** For the two users that every repository has. */
  readonly id?: number;
  readonly uuid?: string;
}

/** Makes a user and answers its id. Throws `unprocessable` for a name or role that cannot be, or a name that is taken. */
export async function createUser(services: Services, user: NewUser): Promise<number> {
  const name = usualName(user.name);
  checkName(name);
  if (user.mail !== undefined) checkMail(user.mail);
  checkRoles(services.model.roles, user.roles ?? []);
  try {
    return await insertUser(services, user);
  } catch (error) {
    if (failedUniqueness(error) === undefined) throw error;
    throw unprocessable(`There is a user named ${name} already.`);
  }
}

/** Makes the row of a user and answers its id. Rejects with a failed uniqueness for a name, id or UUID that is taken. */
export async function insertUser({ database, model, now }: Services, user: NewUser): Promise<number> {
  const hash = user.password === undefined ? null : await hashPassword(user.password);
  const time = now();
  const values: Record<string, string | number | null> = {
    ...(user.id !== undefined && { id: user.id }),
    uuid: user.uuid ?? Bun.randomUUIDv7(),
    name: usualName(user.name),
    mail: user.mail ?? null,
    password_hash: hash,
    status: user.id === 0 ? 0 : 1,
    roles: JSON.stringify(user.roles ?? []),
    langcode: model.defaultLanguage,
    preferred_langcode: model.defaultLanguage,
    preferred_admin_langcode: null,
    timezone: 'UTC',
    created: time,
    changed: time,
    access: 0,
    login: 0,
    init: user.mail ?? null,
    layout: model.userBundle.layout,
    is_dangling: 0,
    fields: '{}',
  };
  const columns = Object.keys(values);
  const [result] = await database.write([
    {
      sql: `INSERT INTO user (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) RETURNING id`,
      args: Object.values(values),
    },
  ]);
  return Number(result?.rows[0]?.[0]);
}

/** Sets a password; sessions that are open under the old one end, and wrong guesses at it count no longer. */
export async function setPassword({ database, now }: Services, user: User, password: string): Promise<void> {
  const hash = await hashPassword(password);
  await database.write([
    { sql: 'UPDATE user SET password_hash = ?, changed = ? WHERE id = ?', args: [hash, now(), user.row.id] },
    { sql: 'DELETE FROM session WHERE user_id = ?', args: [user.row.id] },
    await forgetFailures(database, user.row.name),
  ]);
}

/** Blocks a user, who is signed out everywhere, or lets them in again. */
export async function setBlocked({ database, now }: Services, user: User, isBlocked: boolean): Promise<void> {
  await database.write([
    { sql: 'UPDATE user SET status = ?, changed = ? WHERE id = ?', args: [isBlocked ? 0 : 1, now(), user.row.id] },
    ...(isBlocked ? [{ sql: 'DELETE FROM session WHERE user_id = ?', args: [user.row.id] }] : []),
  ]);
}

/** Gives a user these roles and no others. Throws `unprocessable` for a new one that the model does not have. */
export async function setRoles(
  { database, model, now }: Services,
  user: User,
  roles: readonly string[],
): Promise<void> {
  // One that the model has lost since grants nothing, and must not be in the way of other changes.
  checkRoles(
    model.roles,
    roles.filter((role) => !user.roles.includes(role)),
  );
  await database.write([
    {
      sql: 'UPDATE user SET roles = ?, changed = ? WHERE id = ?',
      args: [JSON.stringify([...new Set(roles)]), now(), user.row.id],
    },
  ]);
}

/** The user of a name. Throws `not-found`. */
export function known(user: User | undefined, name: string): User {
  if (user && user.row.id !== 0) return user;
  throw new ServiceError('not-found', `There is no user named ${name}.`);
}

function checkName(name: string): void {
  if (name.trim() !== name || name === '')
    throw unprocessable('A user name must not be empty or begin or end with a blank.');
  if ([...name].length > MAX_NAME_CHARS)
    throw unprocessable(`A user name must not be longer than ${MAX_NAME_CHARS} characters.`);
  // A colon ends the name in basic authentication (RFC 7617).
  if (name.includes(':') || hasControls(name))
    throw unprocessable('A user name must not hold a colon or control characters.');
}

function checkMail(mail: string): void {
  if (mail.length <= MAX_MAIL_CHARS && /^[^\s@]+@[^\s@]+$/.test(mail)) return;
  throw unprocessable(`${mail.slice(0, 100)} is not a mail address such as name@example.org.`);
}

function checkRoles(known: ReadonlyMap<string, unknown>, roles: readonly string[]): void {
  const grantable = [...known.keys()].filter((role) => !IMPLICIT_ROLES.has(role));
  for (const role of roles) {
    if (grantable.includes(role)) continue;
    const guess = nearest(role, grantable);
    const hint = guess ? `did you mean ${guess}?` : `there are ${grantable.join(', ')}`;
    throw unprocessable(`There is no role ${role} to give; ${hint}`);
  }
}
