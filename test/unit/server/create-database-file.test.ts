import { describe, expect, it, spyOn } from 'bun:test';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
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

  it('uses the file of another process that removes the unfinished one meanwhile', async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'a.db');
    const pragma = Libsql.prototype.pragma;
    const interrupted = spyOn(Libsql.prototype, 'pragma').mockImplementationOnce(function (
      this: Libsql.Database,
      source,
    ) {
      writeFileSync(file, 'of another process');
      for (const name of readdirSync(folder)) if (name !== 'a.db') rmSync(join(folder, name));
      return pragma.call(this, source);
    });
    await createDatabaseFile(file);
    expect(interrupted).toHaveBeenCalled();
    interrupted.mockRestore();
    expect(await readFile(file, 'utf8')).toBe('of another process');
    expect(await readdir(folder)).toEqual(['a.db']);
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
