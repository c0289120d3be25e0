import type { DatabaseClient } from '../../src/database/database-client.ts';
import { migrations } from '../../src/database/migrate.ts';

/** Makes an empty database one of the version before a migration. */
export async function createBefore(client: DatabaseClient, migration: string): Promise<void> {
  const earlier = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === migration),
  );
  const records = earlier.map(({ name }) => ({ sql: 'INSERT INTO migration VALUES (?, 0)', args: [name] }));
  await client.batch(
    [
      'CREATE TABLE migration (name TEXT PRIMARY KEY NOT NULL, applied INTEGER NOT NULL)',
      ...records,
      ...earlier.flatMap(({ statements }) => statements),
    ],
    'write',
  );
}
