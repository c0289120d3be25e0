import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import type { Database } from '../../../src/database/database.ts';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { migrate, migrations } from '../../../src/database/migrate.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

let folder: string;
let database: Database;

beforeEach(async () => {
  folder = await emptyFolder();
  database = openLocalDatabase(join(folder, 'a.db'));
  await migrate(database.client, 0);
  await database.write([user(5, 1, 1)]);
});

afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const user = (id: number, created: number, changed: number) => `INSERT INTO user
  (id, uuid, name, password_hash, status, roles, langcode, preferred_langcode, timezone, created, changed, access, login,
   layout, is_dangling, fields)
  VALUES (${id}, 'u${id}', 'n${id}', 'x', 1, '[]', 'en', 'en', 'UTC', ${created}, ${changed}, 0, 0, 1, 0, '{}')`;

async function version(id = 5): Promise<number> {
  return Number((await database.client.first('SELECT credentials_changed FROM user WHERE id = ?', [id]))?.[0]);
}

describe('credentials_changed of an account', () => {
  it.each([
    ['the password', "UPDATE user SET password_hash = 'y' WHERE id = 5"],
    ['the password, to none', 'UPDATE user SET password_hash = NULL WHERE id = 5'],
    ['the status', 'UPDATE user SET status = 0 WHERE id = 5'],
    ['the roles', `UPDATE user SET roles = '["x"]' WHERE id = 5`],
  ])('is the time in milliseconds after a change of %s', async (_what, change) => {
    expect(await version()).toBe(0);
    const before = Date.now() - 1;
    await database.write([change]);
    expect(await version()).toBeWithin(before, Date.now() + 2);
  });

  it('grows with each change, even in one millisecond or after the clock went back', async () => {
    await database.write(['UPDATE user SET credentials_changed = 9000000000000000 WHERE id = 5']);
    await database.write(['UPDATE user SET status = 0 WHERE id = 5', 'UPDATE user SET status = 1 WHERE id = 5']);
    expect(await version()).toBe(9_000_000_000_000_002);
  });

  it('stays the same for other changes and other accounts', async () => {
    await database.write([user(6, 1, 1)]);
    await database.write([
      `UPDATE user SET password_hash = 'x', status = 1, roles = '[]', login = 9, access = 9, name = 'new' WHERE id = 5`,
      'UPDATE user SET status = 0 WHERE id = 6',
    ]);
    expect(await version()).toBe(0);
    expect(await version(6)).toBeGreaterThan(0);
  });

  it('starts with the last recorded change after an upgrade', async () => {
    const client = createClient({ url: `file:${join(folder, 'earlier.db')}` });
    try {
      const at = migrations.findIndex(({ name }) => name.endsWith('_credentials_changed'));
      const statements = (from: number, to?: number) => migrations.slice(from, to).flatMap((each) => each.statements);
      await client.batch([...statements(0, at), user(7, 100, 100), user(8, 100, 160)], 'write');
      await client.batch([...statements(at)], 'write');
      const { rows } = await client.execute('SELECT id, credentials_changed FROM user ORDER BY id');
      expect(rows.map((row) => [Number(row[0]), Number(row[1])])).toEqual([
        [7, 0],
        [8, 160_000],
      ]);
    } finally {
      client.close();
    }
  });
});
