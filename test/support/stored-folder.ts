import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { byteText } from '../../src/base/in-words.ts';
import { openLocalDatabase } from '../../src/database/local/open-local-database.ts';
import { countIn, outcomeOf } from './command-outcome.ts';
import { emptyFolder } from './empty-folder.ts';
import { EXECUTABLE } from './server-process.ts';
import { damage, pathOf, type StoredObject, storeFiles } from './stored-objects.ts';
import { copyStopped } from './test-repository.ts';

/** A data folder with many files, for the storage commands of the executable. */
export type StoredFolder = Awaited<ReturnType<typeof createStoredFolder>>;

/** Creates a data folder with three files and `copies` rows that share the bytes of the last. */
export async function createStoredFolder(copies: number) {
  const folder = await emptyFolder();
  let objects: StoredObject[] = [];
  await copyStopped(folder, async (repository) => {
    objects = await storeFiles(repository, 3);
  });
  const database = openLocalDatabase(join(folder, 'repository.db'));
  const columns =
    'owner_id, langcode, filename, filemime, filesize, status, created, changed, version, storage_key, sha256';
  await database.write([
    {
      sql: `INSERT INTO file (id, uuid, uri, ${columns})
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
        SELECT 1000 + n, 'copy ' || n, 'public://copies/' || n, ${columns} FROM number, file WHERE id = ? LIMIT ?`,
      args: [copies, objects[2]?.id ?? 0, copies],
    },
  ]);

  function start(...args: string[]) {
    const command = [EXECUTABLE, 'storage', ...args, '--data', folder];
    return Bun.spawn(command, { env: { PATH: '/nonexistent' }, stdout: 'pipe', stderr: 'pipe' });
  }

  const count = (sql: string) => countIn(database, sql);

  return {
    folder,
    database,
    files: await count('SELECT count(*) FROM file'),
    /** The size of all files as readable text. */
    size: byteText(await count('SELECT sum(filesize) FROM file')),
    /** Begins `repo storage` with these words. */
    start,
    end: outcomeOf,
    count,
    /** Turns a bit of `public://f1.txt`; again, and it is as before. */
    damage() {
      const { key, ...object } = objects[1] as StoredObject;
      return damage({ ...object, key, path: pathOf(folder, 'public', key) });
    },
    /** Forgets every check. */
    async forget() {
      await database.write(["DELETE FROM run WHERE kind = 'fixity'", 'DELETE FROM fixity_check']);
    },
    async remove() {
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}
