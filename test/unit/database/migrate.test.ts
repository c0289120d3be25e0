import { describe, expect, it } from 'bun:test';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UnusableDatabaseError } from '../../../src/database/errors.ts';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { migrate, migrations, NewerDatabaseError, pendingMigrations } from '../../../src/database/migrate.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { failure } from '../../support/rejection.ts';

const DRIZZLE = join(import.meta.dir, '../../../drizzle');
const names = migrations.map(({ name }) => name);

async function open(count = 1) {
  const file = join(await emptyFolder(), 'a.db');
  return Array.from({ length: count }, () => openLocalDatabase(file));
}

describe('migrations', () => {
  it('match the files of the folder, in order', async () => {
    const files = (await readdir(DRIZZLE)).filter((file) => file.endsWith('.sql')).sort();
    expect(names.map((name) => `${name}.sql`)).toEqual(files);
  });

  it('are applied once', async () => {
    const [database] = await open();
    const { client } = database as NonNullable<typeof database>;
    expect(await pendingMigrations(client)).toEqual(names);
    expect(await migrate(client, 1_700_000_000)).toEqual(names);
    expect(await migrate(client, 1_700_000_001)).toEqual([]);
    expect(await pendingMigrations(client)).toEqual([]);
    const { rows } = await client.execute('SELECT name, applied FROM migration ORDER BY name');
    expect(rows.map((row) => [...(row as unknown as unknown[])])).toEqual(names.map((name) => [name, 1_700_000_000]));
  });

  it('are applied once when several clients start together', async () => {
    const databases = await open(4);
    const made = await Promise.all(databases.map(({ client }) => migrate(client, 0)));
    // The first client to reach a migration applies it.
    expect(made.flat().sort()).toEqual(names);
    for (const { client } of databases) expect(await pendingMigrations(client)).toEqual([]);
  });

  it('reject a database changed by a newer version, and leave it unchanged', async () => {
    const [database] = await open();
    const { client, write } = database as NonNullable<typeof database>;
    await migrate(client, 0);
    await write([{ sql: "INSERT INTO migration VALUES ('9999_future', 0)", args: [] }]);
    const error = await migrate(client, 0).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NewerDatabaseError);
    expect((error as Error).message).toBe(
      'The database was changed by a newer version of repo (9999_future): start that version, or restore a backup.',
    );
  });

  it.each(['reference', 'term_uri'])('store %s in the order of its key, without row ids', async (table) => {
    const [database] = await open();
    const { client } = database as NonNullable<typeof database>;
    await migrate(client, 0);
    const { rows } = await client.execute(`SELECT wr FROM pragma_table_list WHERE name = '${table}'`);
    expect(rows[0]?.[0]).toBe(1);
  });
});

describe('a database that cannot be opened', () => {
  it('is reported by name, with a remedy', async () => {
    const folder = await emptyFolder();
    const damaged = join(folder, 'damaged.db');
    await Bun.write(damaged, 'this is no database '.repeat(1_000));
    await mkdir(join(folder, 'folder.db'));
    const cases: [string, string][] = [
      [damaged, 'it is damaged, or not a database. Restore a backup with repo restore, or choose another data folder.'],
      [join(folder, 'folder.db'), 'it cannot be opened. Is it a file, in a folder that this user may write to?'],
      [join(folder, 'nowhere/a.db'), 'it cannot be opened. Is it a file, in a folder that this user may write to?'],
    ];
    for (const [file, reason] of cases) {
      const open = () => openLocalDatabase(file);
      expect(open).toThrow(UnusableDatabaseError);
      expect(open).toThrow(`The database ${file} cannot be used: ${reason}`);
    }
  });

  it('is reported as a storage failure if the damage is found later', async () => {
    const file = join(await emptyFolder(), 'a.db');
    const database = openLocalDatabase(file);
    await migrate(database.client, 0);
    const { rows } = await database.client.execute(
      "SELECT rootpage FROM sqlite_master WHERE name IN ('node', 'setting')",
    );
    await database.client.execute('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    const bytes = await Bun.file(file).bytes();
    for (const row of rows) bytes.fill(0x5a, 4096 * (Number(row[0]) - 1), 4096 * Number(row[0]));
    await Bun.write(file, bytes);
    const damaged = openLocalDatabase(file);
    const { kind, publicMessage } = await failure(damaged.client.execute('SELECT * FROM node'));
    expect({ kind, publicMessage }).toEqual({
      kind: 'storage-failed',
      publicMessage: 'The database cannot be used at present.',
    });
    const write = damaged.write([{ sql: "INSERT INTO setting VALUES ('a', 'b')", args: [] }]);
    expect((await failure(write)).kind).toBe('storage-failed');
  });
});
