import { expect, it } from 'bun:test';
import { join } from 'node:path';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { migrate, migrations } from '../../../src/database/migrate.ts';
import { createBefore } from '../../support/earlier-database.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

it('the migration gives files without references the whole time from the upgrade, and later ones theirs', async () => {
  const database = openLocalDatabase(join(await emptyFolder(), 'a.db'));
  const { client } = database;
  await createBefore(client, migrations.find(({ name }) => name.endsWith('_released_files'))?.name ?? '');
  const columns = 'id, uuid, uri, storage_key, owner_id, langcode, filename, filemime';
  const file = (id: number) => ({
    sql: `INSERT INTO file (${columns}, filesize, status, created, changed, version, sha256)
      VALUES (?1, 'u' || ?1, 'public://' || ?1, 'k' || ?1, 1, 'en', 'a', 'text/plain', 1, 1, 1, 1, 1, 'x')`,
    args: [id],
  });
  const reference = "INSERT INTO reference VALUES ('media', 1, 'field_media_file', 0, 'file', 2, NULL)";
  await client.batch([file(1), file(2), reference], 'write');
  const before = Math.floor(Date.now() / 1_000);
  await migrate(client, 0);
  const released = async () => {
    const { rows } = await client.execute('SELECT released FROM file ORDER BY id');
    return rows.map((row) => row[0] as number | null);
  };
  const [unused = 0, used] = await released();
  expect(unused).toBeGreaterThanOrEqual(before);
  expect(used).toBeNull();
  await client.batch(['DELETE FROM reference'], 'write');
  expect((await released())[1]).toBeGreaterThanOrEqual(before);
  await database.close();
});
