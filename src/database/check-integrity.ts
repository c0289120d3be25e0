import { isDamaged, messageOfDamage } from './damage.ts';
import type { Database } from './database.ts';

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
