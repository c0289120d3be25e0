import { unprocessable } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { hasControls } from '../../http/content-disposition.ts';
import { grantableRoles } from '../account-access.ts';

/** Maximum length of a name (spec: model, base fields of users). */
const MAX_NAME_CHARS = 60;
/** Maximum length of a mail address (RFC 5321 section 4.5.3.1.3). */
const MAX_MAIL_CHARS = 254;

const DELETED_NAME = /^deleted user \d+$/i;

/** Returns the name of a deleted account, which no other account can choose. */
export function nameOfDeleted(id: number): string {
  return `Deleted user ${id}`;
}

/** Returns the problem of a user name as a sentence. Undefined for a valid one. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() !== name || name === '') return 'A user name must not be empty or begin or end with white space.';
  if ([...name].length > MAX_NAME_CHARS) return `A user name must not be longer than ${MAX_NAME_CHARS} characters.`;
  // A colon ends the name in basic authentication (RFC 7617).
  if (name.includes(':') || hasControls(name)) return 'A user name must not contain a colon or control characters.';
  if (DELETED_NAME.test(name)) return 'This name is reserved for deleted accounts. Choose another one.';
  return undefined;
}

/** Returns the problem of a mail address as a sentence. Undefined for a valid one. */
export function mailProblem(mail: string): string | undefined {
  // Brackets, quotes, commas and semicolons separate addresses in the header of a mail.
  if (mail.length <= MAX_MAIL_CHARS && /^[^\s@<>",;:()[\]\\]+@[^\s@<>",;:()[\]\\]+$/.test(mail) && !hasControls(mail))
    return undefined;
  return `${mail.slice(0, 100)} is not a valid mail address. Expected one such as name@example.org.`;
}

/** Throws `unprocessable` for an invalid name. */
export function checkName(name: string): void {
  refuse(nameProblem(name));
}

/** Throws `unprocessable` for an invalid mail address. */
export function checkMail(mail: string): void {
  refuse(mailProblem(mail));
}

/** Throws `unprocessable` for a role that the model lacks or that is never granted. */
export function checkRoles(known: ReadonlyMap<string, unknown>, roles: readonly string[]): void {
  const grantable = grantableRoles(known);
  for (const role of roles) {
    if (grantable.includes(role)) continue;
    const guess = nearest(role, grantable);
    const hint = guess ? `Did you mean ${guess}?` : `Roles to grant: ${grantable.join(', ')}.`;
    throw unprocessable(`The role ${role} cannot be granted. ${hint}`);
  }
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw unprocessable(problem);
}
