import { codeOf } from '../base/errors.ts';

/** A database whose content no version of the program has written. The message describes the problem. */
export class DamagedDatabaseError extends Error {
  override readonly name = 'DamagedDatabaseError';
}

/** Returns true if an error, or one of its causes, reports a damaged database. */
export function isDamaged(error: unknown): boolean {
  return damageIn(error) !== undefined;
}

/** Returns the message of the database engine about the damage. */
export function messageOfDamage(error: unknown): string {
  return damageIn(error)?.message ?? String(error);
}

/** Returns true if an error itself, regardless of its causes, reports damage. */
export function isDamage(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error instanceof DamagedDatabaseError) return true;
  const { code } = error as { code?: unknown };
  return (typeof code === 'string' && /^SQLITE_(CORRUPT|NOTADB)/.test(code)) || UNREADABLE_INDEX.test(error.message);
}

/** Messages about a full-text index that cannot be opened. Some have no code of damage. */
const UNREADABLE_INDEX = /vtable constructor failed|invalid fts5 file format|no such fts5 table/;

/**
 * Returns true if an error reports that the full-text index is damaged, and not the tables with content. A database server
 * sends the same code for both: there, only the message of an index that cannot be opened differs.
 */
export function isDamagedIndex(error: unknown): boolean {
  const damage = damageIn(error);
  return codeOf(damage) === 'SQLITE_CORRUPT_VTAB' || UNREADABLE_INDEX.test(damage?.message ?? '');
}

function damageIn(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const { cause } = error;
  return isDamage(error) ? error : damageIn(cause);
}
