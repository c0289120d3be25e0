import { ServiceError } from '../base/errors.ts';

/** The statements of a batch that failed on purpose (see `schema/system.ts`): what another write had changed meanwhile. */
export type GuardName = 'guard_stale' | 'guard_missing' | 'guard_taken' | 'guard_lost';

/** Which guard made a batch fail, or undefined if it failed of something else. */
export function failedGuard(error: unknown): GuardName | undefined {
  const message = messageOf(error);
  return message.match(/CHECK constraint failed: (guard_stale|guard_missing|guard_taken|guard_lost)/)?.[1] as
    | GuardName
    | undefined;
}

/** The column of a UNIQUE constraint that a write would have broken, as `user.name`, or undefined. */
export function failedUniqueness(error: unknown): string | undefined {
  return messageOf(error)
    .match(/UNIQUE constraint failed: (?:index '(\w+)'|([\w.]+))/)
    ?.slice(1)
    .find(Boolean);
}

/** Whether the database could not be had because someone else holds it. */
export function isBusy(error: unknown): boolean {
  return /^(SQLITE_(BUSY|LOCKED)|TRANSACTION_(BUSY|TIMEOUT))/.test(codeOf(error));
}

/** A write that was sent, and of which nobody knows whether it was done: the connection broke before the answer came. */
export class OutcomeUnknownError extends ServiceError {
  constructor(cause: unknown) {
    const message = 'The database did not answer. Whether this was saved is not known: look before you try again.';
    super('unavailable', message, { cause, headers: { 'Retry-After': '5' } });
  }
}

/** Whether a write may have been done although it failed: what it would have named must not be removed then. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof OutcomeUnknownError) return true;
  return error instanceof Error && error.cause !== undefined && isOutcomeUnknown(error.cause);
}

/**
 * A failure of the database as the program speaks of failures. What the caller may react to (a constraint)
 * stays as it is.
 */
export function named(error: unknown): unknown {
  const code = codeOf(error);
  if (code.startsWith('SQLITE_FULL'))
    return new ServiceError('storage-full', 'There is no room left to save this.', { cause: error });
  if (isBusy(error))
    return new ServiceError('database-locked', 'The database is in use by another program. Try again later.', {
      cause: error,
      headers: { 'Retry-After': '5' },
    });
  if (code.startsWith('SQLITE_TOOBIG') || /string or blob too big/.test(messageOf(error))) return tooLarge(error);
  if (/^(SQLITE_(IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|PERM)|RESPONSE_TOO_LARGE)/.test(code))
    return new ServiceError('storage-failed', 'The database cannot be used at present.', { cause: error });
  return error;
}

/** The refusal of what no database of this kind takes (413). */
export function tooLarge(cause: unknown): ServiceError {
  return new ServiceError('too-large', 'This is more than the database takes in one piece.', { cause });
}

/** A database that the program cannot start with; the message is for whoever started it. */
export class UnusableDatabaseError extends Error {
  override readonly name = 'UnusableDatabaseError';
}

/** Why a database file cannot be opened, and what helps. */
export function unusable(file: string, error: unknown): UnusableDatabaseError {
  return new UnusableDatabaseError(`The database ${file} cannot be used: ${reasonOf(error)}`, { cause: error });
}

function reasonOf(error: unknown): string {
  if (isBusy(error)) return 'another program holds it. Stop that one first.';
  const code = codeOf(error);
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code))
    return 'it is damaged, or not a database. Restore a backup with repo restore, or choose another data folder.';
  if (code.startsWith('SQLITE_FULL')) return 'there is no room left on its disk.';
  if (/^(SQLITE_READONLY|EROFS|EACCES|EPERM)/.test(code)) return 'it is write-protected.';
  // The driver says so without a code.
  if (code === '' || code.startsWith('SQLITE_CANTOPEN'))
    return 'it cannot be opened. Is it a file, in a folder that this user may write to?';
  return `${messageOf(error)}.`;
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return error.cause === undefined ? error.message : `${error.message} ${messageOf(error.cause)}`;
}
