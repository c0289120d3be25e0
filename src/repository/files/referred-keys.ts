import type { Services } from '../services.ts';

/**
 * Those of the storage keys that a file's row names. Asked as a write, so that no replica answers that is behind: what
 * is not named is removed.
 */
export async function referredKeys({ database }: Services, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const [named] = await database.write([
    {
      sql: 'SELECT storage_key FROM file WHERE storage_key IN (SELECT value FROM json_each(?))',
      args: [JSON.stringify(keys)],
    },
  ]);
  return new Set(named?.rows.map((row) => String(row[0])));
}
