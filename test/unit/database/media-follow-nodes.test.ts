import { expect, it } from 'bun:test';
import { join } from 'node:path';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { createBefore } from '../../support/earlier-database.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

const LIVING = 1;
const DELETED = 2;

const documentOf = (node?: number) =>
  JSON.stringify({ field_media_of: node === undefined ? [] : [{ target_id: node }] });

it('the migration hides only media whose node an earlier version deleted', async () => {
  const database = openLocalDatabase(join(await emptyFolder(), 'a.db'));
  const { client } = database;
  await createBefore(client, '0007_media_follow_nodes');
  const columns = 'id, uuid, bundle, label, owner_id, status, changed, version, layout, is_dangling, document';
  const row = (table: string, id: number, isDangling: boolean, document: string) => ({
    sql: `INSERT INTO ${table} (${columns}) VALUES (?1, 'u' || ?1, 'b', 'l', 1, 1, 0, 1, 1, ?2, ?3)`,
    args: [id, isDangling ? 1 : 0, document],
  });
  const reference = (media: number) => ({
    sql: "INSERT INTO reference VALUES ('media', ?, 'field_media_of', 0, 'node', ?, NULL)",
    args: [media, LIVING],
  });
  const revision = (media: number, node: number) => ({
    sql: 'INSERT INTO media_revision (entity_id, created, snapshot) VALUES (?, 0, ?)',
    args: [media, JSON.stringify({ bundle: 'b', document: documentOf(node) })],
  });
  await client.batch(
    [
      row('node', LIVING, false, '{}'),
      row('media', 1, false, documentOf(LIVING)),
      reference(1),
      row('media', 2, false, documentOf()),
      // Lost its node, and lost something else.
      row('media', 3, true, documentOf(DELETED)),
      row('media', 4, true, documentOf(LIVING)),
      reference(4),
      // Saved once more after its node was deleted, and taken from its node on purpose.
      row('media', 5, false, documentOf()),
      revision(5, DELETED),
      row('media', 6, false, documentOf()),
      revision(6, LIVING),
      // Given to another node since.
      row('media', 7, false, documentOf(LIVING)),
      reference(7),
      revision(7, DELETED),
    ],
    'write',
  );
  await migrate(client, 0);
  const { rows } = await client.execute('SELECT id FROM media WHERE has_lost_node = 1 ORDER BY id');
  expect(rows.map((each) => each[0])).toEqual([3, 5]);
  await database.close();
});
