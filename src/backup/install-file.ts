import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import { syncFolder } from '../storage/real-folder.ts';

/**
 * Makes a restored database the repository's own, at a path in the same folder. `secrets` are taken out of it: they are
 * files beside it again.
 */
export async function installDatabaseFile(workFile: string, target: string): Promise<void> {
  const database = new Libsql(workFile);
  try {
    database.exec('PRAGMA secure_delete = ON');
    database.exec('DELETE FROM secret');
  } finally {
    database.close();
  }
  const handle = await open(workFile, 'r+');
  await handle.sync().finally(() => handle.close());
  // What belongs to a database that is not there any more would be played into this one.
  for (const suffix of ['-wal', '-shm']) await rm(`${target}${suffix}`, { force: true });
  await rename(workFile, target);
  await syncFolder(dirname(target));
}
