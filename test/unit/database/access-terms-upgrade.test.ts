import { afterAll, beforeAll, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { Database } from '../../../src/database/database.ts';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { createBefore } from '../../support/earlier-database.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

let database: Database;

beforeAll(async () => {
  database = openLocalDatabase(join(await emptyFolder(), 'test.db'));
  const { client } = database;
  await createBefore(client, '0037_access_rules');
  const node = (id: number) => ({
    sql: `INSERT INTO node (id, uuid, bundle, label, owner_id, status, changed, version, layout, is_dangling, document)
      VALUES (?, ?, 'islandora_object', 'x', 1, 1, 0, 1, '', 0, '{}')`,
    args: [id, String(id)],
  });
  const reference = (type: string, source: number, field: string, targetType: string, target: number, delta = 0) => ({
    sql: `INSERT INTO reference (source_type, source_id, field, delta, target_type, target_id) VALUES (?, ?, ?, ?, ?, ?)`,
    args: [type, source, field, delta, targetType, target],
  });
  await client.batch(
    [
      ...[1, 2, 3, 4].map(node),
      reference('node', 1, 'field_access_terms', 'taxonomy_term', 9),
      reference('node', 1, 'field_access_terms', 'taxonomy_term', 7, 1),
      reference('node', 2, 'field_access_terms', 'taxonomy_term', 7),
      reference('node', 3, 'field_member_of', 'node', 1),
    ],
    'write',
  );
  await migrate(client, 0);
});
afterAll(() => database.close());

it('closes content with access terms from earlier versions, and prepares that of its members', async () => {
  const { rows } = await database.client.execute(
    `SELECT nid, parts, rule FROM node_access JOIN access_set s ON s.id = set_id
      JOIN access_rule r ON r.id = terms_rule_id ORDER BY nid`,
  );
  const shown = rows.map((row) => [row[0], row[2]]);
  expect(shown).toEqual([
    [1, '{"access_terms":[7,9]}'],
    [2, '{"access_terms":[7]}'],
  ]);
  expect(rows.map((row) => String(row[1]))).toEqual([expect.stringMatching(/^r\d+$/), expect.stringMatching(/^r\d+$/)]);
  const anchors = await database.client.execute('SELECT nid, is_whole FROM access_anchor');
  expect(anchors.rows.map((row) => [row[0], row[1]])).toEqual([[1, 0]]);
});
