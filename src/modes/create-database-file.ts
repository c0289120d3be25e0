import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import Libsql from 'libsql';
import { codeOf } from '../base/errors.ts';
import { unusable } from '../database/errors.ts';
import { syncFolder } from '../storage/real-folder.ts';

/** Behind the name of a database while its file is made. */
const UNFINISHED = '.new-';
/** File systems without hard links: there the engine makes the file in its place. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Creates the file of a database without tables, at once and whole: a process that is killed leaves no file of zero
 * bytes, which is how a lost database looks. A file that exists stays; what was left of earlier attempts goes. Of processes that do this at the same time one
 * succeeds, and the others use its file. Throws UnusableDatabaseError.
 */
export async function createDatabaseFile(file: string): Promise<void> {
  const unfinished = `${file}${UNFINISHED}${randomBytes(6).toString('hex')}`;
  try {
    if (existsSync(file)) return await removeUnfinished(file);
    const database = new Libsql(unfinished);
    try {
      // This writes the first page, and leaves no second file.
      database.exec('PRAGMA journal_mode = WAL');
    } finally {
      database.close();
    }
    await link(unfinished, file).catch((error: unknown) => acceptOthers(error, file));
    await syncFolder(dirname(file));
    await removeUnfinished(file);
  } catch (error) {
    throw unusable(file, error);
  }
}

function acceptOthers(error: unknown, file: string): void {
  if (existsSync(file) || NO_LINKS.has(codeOf(error) ?? '')) return;
  throw error;
}

/** Those of processes that were killed, too. */
async function removeUnfinished(file: string): Promise<void> {
  const folder = dirname(file);
  for (const name of await readdir(folder))
    if (name.startsWith(`${basename(file)}${UNFINISHED}`)) await rm(join(folder, name), { force: true });
}
