import { sql } from 'drizzle-orm';
import AsyncDatabase from 'libsql/promise';
import { isDamaged, messageOfDamage } from './damage.ts';
import type { Database } from './database.ts';
import { plain, statementOf } from './statement.ts';

/**
 * Runs the integrity check of SQLite, of one table or of all. Returns its problems, at most 100 lines, none for an intact
 * database; undefined if a server does not support the check. The check of a file runs in a thread of its own.
 */
export async function checkIntegrity(database: Database, table?: string): Promise<readonly string[] | undefined> {
  try {
    const file = await fileOfDatabase(database);
    const lines = file === undefined ? await checkOnServer(database, table) : await checkFile(file, table);
    return lines.length === 1 && lines[0] === 'ok' ? [] : lines;
  } catch (error) {
    if (isDamaged(error)) return [messageOfDamage(error)];
    if (database.isDistant && isRefusedStatement(error)) return undefined;
    throw error;
  }
}

/** Returns the file of a database; undefined for one on a server. */
export async function fileOfDatabase(database: Database): Promise<string | undefined> {
  if (database.isDistant) return undefined;
  const main = plain(sql`SELECT file FROM pragma_database_list WHERE name = 'main'`, { file: sql<string>`file` });
  return (await database.get(statementOf(main)))?.file || undefined;
}

async function checkOnServer({ client }: Database, table: string | undefined): Promise<string[]> {
  const { rows } = await client.execute(`PRAGMA integrity_check${table === undefined ? '' : `('${table}')`}`);
  return rows.map((row) => String(row[0]));
}

/** `exec` of the driver runs in a thread, but returns no rows: a temporary table has them. */
async function checkFile(file: string, table: string | undefined): Promise<string[]> {
  const connection = new AsyncDatabase(file, {});
  try {
    const check = table === undefined ? 'pragma_integrity_check' : `pragma_integrity_check('${table}')`;
    await connection.exec('PRAGMA temp_store = MEMORY');
    await connection.exec(`CREATE TEMP TABLE finding AS SELECT CAST(integrity_check AS BLOB) AS line FROM ${check}`);
    const found = await connection.prepare(`SELECT line FROM temp.finding`);
    const rows = (await found.raw(true).all([])) as [Buffer][];
    const lines = rows.map(([line]) => line.toString()).filter((line) => !line.startsWith('*** in database temp'));
    return lines.length === 0 ? ['ok'] : lines;
  } finally {
    connection.close();
  }
}

/** Returns true for the code with which a server rejects an unsupported statement. */
function isRefusedStatement(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('SQL_');
}
