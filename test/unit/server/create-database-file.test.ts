import { describe, expect, it } from 'bun:test';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UnusableDatabaseError } from '../../../src/database/errors.ts';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { createDatabaseFile } from '../../../src/server/create-database-file.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

describe('createDatabaseFile', () => {
  it('creates one database for concurrent callers, and leaves no other file', async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'a.db');
    await Promise.all(Array.from({ length: 8 }, () => createDatabaseFile(file)));
    expect(await readdir(folder)).toEqual(['a.db']);
    const database = openLocalDatabase(file);
    expect((await database.client.execute('SELECT count(*) FROM sqlite_master')).rows[0]?.[0]).toBe(0);
    await database.close();
  });

  it('removes the files of a killed process', async () => {
    const folder = await emptyFolder();
    await writeFile(join(folder, 'a.db.new-0123456789ab'), '');
    await createDatabaseFile(join(folder, 'a.db'));
    expect(await readdir(folder)).toEqual(['a.db']);
    expect((await stat(join(folder, 'a.db'))).size).toBeGreaterThan(0);
  });

  it('keeps an existing file', async () => {
    const file = join(await emptyFolder(), 'a.db');
    await writeFile(file, 'something else');
    await createDatabaseFile(file);
    expect(await readFile(file, 'utf8')).toBe('something else');
  });

  it('reports an unusable folder', async () => {
    const file = join(await emptyFolder(), 'nowhere/a.db');
    const error = await createDatabaseFile(file).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnusableDatabaseError);
    expect((error as Error).message).toStartWith(`The database ${file} cannot be used: it cannot be opened.`);
  });
});
