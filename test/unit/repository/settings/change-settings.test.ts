import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { Database } from '../../../../src/database/database.ts';
import { openLocalDatabase } from '../../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../../src/database/migrate.ts';
import { changeSettings } from '../../../../src/repository/settings/change-settings.ts';
import { createFindSettings, findSettings } from '../../../../src/repository/settings/find-settings.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';

let database: Database;
let beside: Database;
beforeEach(async () => {
  const file = join(await emptyFolder(), 'repository.db');
  database = openLocalDatabase(file);
  await migrate(database.client, 0);
  beside = openLocalDatabase(file);
});
afterEach(async () => {
  await database.close();
  await beside.close();
});

const rows = async () =>
  (await database.client.execute('SELECT name, value FROM setting ORDER BY name')).rows.map((row) => [row[0], row[1]]);
const store = (value: string) =>
  database.write([
    {
      sql: 'INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)',
      args: ['islandora.allow_header_links', value],
    },
  ]);

describe('a setting', () => {
  it('has its default, without a row, until it changes', async () => {
    expect(await findSettings(database)).toEqual({ allow_header_links: true });
    expect(await rows()).toEqual([]);
  });

  it('has its new value at once for every connection', async () => {
    const find = createFindSettings(beside);
    for (const value of [false, true, false]) {
      await changeSettings(database, { allow_header_links: value });
      expect((await find()).value).toEqual({ allow_header_links: value });
    }
  });

  it('does not change other rows of the table', async () => {
    await database.write([{ sql: "INSERT INTO setting VALUES ('allow_header_links', 'x'), ('seeded.tags', '1')" }]);
    await changeSettings(database, { allow_header_links: false });
    expect(await rows()).toEqual([
      ['allow_header_links', 'x'],
      ['islandora.allow_header_links', 'false'],
      ['seeded.tags', '1'],
    ]);
  });

  it('set to its current value invalidates no cache', async () => {
    await changeSettings(database, { allow_header_links: false });
    const before = await database.generation();
    await changeSettings(database, { allow_header_links: false });
    await changeSettings(database, {});
    expect(await database.generation()).toBe(before);
    await changeSettings(database, { allow_header_links: true });
    expect(await database.generation()).not.toBe(before);
  });

  it.each(['', 'maybe', '1', 'TRUE', ' true', 'null', '{"value":true}'])(
    'stored as %p is reported, and does not fall back to the default',
    async (value) => {
      await store(value);
      await expect(findSettings(database)).rejects.toMatchObject({
        kind: 'misconfigured',
        publicMessage: expect.stringContaining('for the setting allow_header_links.'),
        cause: { message: `the row islandora.allow_header_links holds ${JSON.stringify(value)}` },
      });
      await changeSettings(database, { allow_header_links: false });
      expect(await findSettings(database)).toEqual({ allow_header_links: false });
    },
  );
});

describe('a change with a condition', () => {
  it('is rejected if the condition fails', async () => {
    const refuse = () => {
      throw new Error('not so');
    };
    await expect(changeSettings(database, { allow_header_links: false }, refuse)).rejects.toThrow('not so');
    expect(await rows()).toEqual([]);
  });

  it('checks again after a concurrent change', async () => {
    const seen: boolean[] = [];
    let faster: Promise<void> | undefined;
    await changeSettings(database, { allow_header_links: true }, ({ allow_header_links }) => {
      seen.push(allow_header_links);
      // In the same queue, so this write comes first.
      faster ??= changeSettings(database, { allow_header_links: false });
    });
    await faster;
    expect(seen).toEqual([true, false]);
    expect(await findSettings(database)).toEqual({ allow_header_links: true });
  });

  it('checks once without a concurrent change', async () => {
    const seen: boolean[] = [];
    const look = ({ allow_header_links }: { allow_header_links: boolean }) => void seen.push(allow_header_links);
    await changeSettings(database, { allow_header_links: false }, look);
    await changeSettings(database, { allow_header_links: true }, look);
    expect(seen).toEqual([true, false]);
  });
});
