import type { Services } from '../services.ts';

/** Those of the storage keys that a file's row names. */
export async function referredKeys({ database }: Services, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await database.client.execute({
    sql: 'SELECT storage_key FROM file WHERE storage_key IN (SELECT value FROM json_each(?))',
    args: [JSON.stringify(keys)],
  });
  return new Set(rows.map((row) => String(row[0])));
}
