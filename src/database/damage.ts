import { codeOf } from '../base/errors.ts';
import type { Database } from './database.ts';

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
  return typeof code === 'string' && /^SQLITE_(CORRUPT|NOTADB)/.test(code);
}

/**
 * Returns true if an error reports that the full-text index is damaged, and not the tables with content. A database server
 * sends the same code for both: there, only the message of an index that cannot be opened differs.
 */
export function isDamagedIndex(error: unknown): boolean {
  const damage = damageIn(error);
  return codeOf(damage) === 'SQLITE_CORRUPT_VTAB' || /vtable constructor failed/.test(damage?.message ?? '');
}

function damageIn(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const { cause } = error;
  return isDamage(error) ? error : damageIn(cause);
}

/**
 * Runs the integrity check of SQLite. Returns its problems, at most 100 lines, none for an intact database; undefined
 * if a server does not support the check.
 */
export async function checkIntegrity({ client, isDistant }: Database): Promise<readonly string[] | undefined> {
  try {
    const { rows } = await client.execute('PRAGMA integrity_check');
    const lines = rows.map((row) => String(row[0]));
    return lines.length === 1 && lines[0] === 'ok' ? [] : lines;
  } catch (error) {
    if (isDamaged(error)) return [messageOfDamage(error)];
    if (isDistant && isRefusedStatement(error)) return undefined;
    throw error;
  }
}

/** Returns true for the code with which a server rejects an unsupported statement. */
function isRefusedStatement(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('SQL_');
}
