import type { Database } from './database.ts';

/** A database whose content no version of the program has written. The message says what is wrong with it. */
export class DamagedDatabaseError extends Error {
  override readonly name = 'DamagedDatabaseError';
}

/** Whether a failure says that the database itself is damaged. */
export function isDamaged(error: unknown): boolean {
  return damageIn(error) !== undefined;
}

/** Returns what the database engine says of the damage. */
export function messageOfDamage(error: unknown): string {
  return damageIn(error)?.message ?? String(error);
}

/** Whether a failure itself, and not what caused it, is damage. */
export function isDamage(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error instanceof DamagedDatabaseError) return true;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^SQLITE_(CORRUPT|NOTADB)/.test(code);
}

function damageIn(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const { cause } = error;
  return isDamage(error) ? error : damageIn(cause);
}

/**
 * Runs the integrity check of SQLite. Returns what it finds, at most 100 lines, none for an intact database; undefined
 * where a server does not run it.
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

/** A server refuses what it does not run with a code of its own, before it begins. */
function isRefusedStatement(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('SQL_');
}
