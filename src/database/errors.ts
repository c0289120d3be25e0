import { ServiceError } from '../base/errors.ts';
import { damagedRow, HOW_TO_FIND } from './damaged-text.ts';
import { UnloadableLibraryError } from './native-library.ts';

/** The guards that make a batch fail if another write has changed its rows (see `guard` in `schema/system.ts`). */
type GuardName = 'guard_stale' | 'guard_missing' | 'guard_taken' | 'guard_lost' | 'guard_unanchored';

/** Returns the guard that made a batch fail; undefined for another error. */
export function failedGuard(error: unknown): GuardName | undefined {
  const message = messageOf(error);
  return message.match(
    /CHECK constraint failed: (guard_stale|guard_missing|guard_taken|guard_lost|guard_unanchored)/,
  )?.[1] as GuardName | undefined;
}

/** Returns the column of the violated UNIQUE constraint, such as `user.name`; undefined for another error. */
export function failedUniqueness(error: unknown): string | undefined {
  return messageOf(error)
    .match(/UNIQUE constraint failed: (?:index '(\w+)'|([\w.]+))/)
    ?.slice(1)
    .find(Boolean);
}

/** Returns true for a table that another process has dropped. */
export function isMissingTable(error: unknown): boolean {
  return /no such table/.test(messageOf(error));
}

/** Returns true if another program holds a lock on the database. */
export function isBusy(error: unknown): boolean {
  return /^(SQLITE_(BUSY|LOCKED)|TRANSACTION_(BUSY|TIMEOUT))/.test(codeOf(error));
}

/** A read that was ended by `Database.interrupt` on a server. A local file reports the same code. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  readonly code = 'SQLITE_INTERRUPT';
}

/** Returns true for a read that `Database.interrupt` has ended. */
export function isInterrupted(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_INTERRUPT');
}

/** A write with an unknown outcome: the connection was lost before the response. */
export class OutcomeUnknownError extends ServiceError {
  constructor(cause: unknown) {
    const message = 'The database did not respond. This may or may not have been saved: check before you try again.';
    super('unavailable', message, { cause, headers: { 'Retry-After': '5' } });
  }
}

/** Returns true if a failed write may have been committed. The objects that it refers to must then stay. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof OutcomeUnknownError) return true;
  return error instanceof Error && error.cause !== undefined && isOutcomeUnknown(error.cause);
}

/** Converts an error of the database to a ServiceError. Returns a violated constraint unchanged: callers handle it. */
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
  if (/malformed JSON/.test(messageOf(error))) return damagedRow(`a stored document is not valid JSON. ${HOW_TO_FIND}`);
  if (/^(SQLITE_(IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|PERM)|RESPONSE_TOO_LARGE)/.test(code))
    return new ServiceError('storage-failed', 'The database cannot be used at present.', { cause: error });
  return error;
}

/** The error for a value or request above the size limits of the database (413). */
export function tooLarge(cause: unknown): ServiceError {
  return new ServiceError('too-large', 'This is larger than the database accepts.', { cause });
}

/** The database cannot be opened. The message tells the administrator why. */
export class UnusableDatabaseError extends Error {
  override readonly name = 'UnusableDatabaseError';
}

/**
 * Creates the error for a database file that cannot be opened, with the reason and advice. Returns one for the whole engine
 * unchanged.
 */
export function unusable(file: string, error: unknown): UnusableDatabaseError | UnloadableLibraryError {
  if (error instanceof UnloadableLibraryError) return error;
  return new UnusableDatabaseError(`The database ${file} cannot be used: ${reasonOf(error)}`, { cause: error });
}

function reasonOf(error: unknown): string {
  if (isBusy(error)) return 'another program has locked it. Stop that program first.';
  const code = codeOf(error);
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code))
    return 'it is damaged, or not a database. Restore a backup with repo restore, or choose another data folder.';
  if (code.startsWith('SQLITE_FULL')) return 'there is no room left on its disk.';
  if (/^(SQLITE_READONLY|EROFS|EACCES|EPERM)/.test(code)) return 'it is write-protected.';
  // The driver reports this without a code.
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
