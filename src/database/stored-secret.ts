import type { Database } from './database.ts';

/**
 * The text of a secret that all servers of a shared database have in common; the first to ask makes it. Of servers that
 * start at once all get the same.
 */
export async function loadOrCreateStoredSecret(
  database: Database,
  name: string,
  create: () => Promise<string>,
): Promise<string> {
  const found = await find(database, name);
  if (found !== undefined) return found;
  const text = await create();
  await database.write([
    { sql: 'INSERT INTO secret (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING', args: [name, text] },
  ]);
  const stored = await find(database, name);
  if (stored === undefined) throw new Error(`the secret ${name} was removed right after it had been made`);
  return stored;
}

async function find(database: Database, name: string): Promise<string | undefined> {
  const row = await database.first('SELECT value FROM secret WHERE name = ?', [name]);
  return row && String(row[0]);
}
