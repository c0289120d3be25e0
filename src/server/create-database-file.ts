import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import Libsql from 'libsql';
import { codeOf } from '../base/errors.ts';
import { unusable } from '../database/errors.ts';
import { syncFolder } from '../storage/real-folder.ts';

/** The suffix of a database file that is being created; a random part follows. */
const UNFINISHED = '.new-';
/** The error codes of file systems without hard links, where the engine then creates the file in place. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Creates the file of a database without tables atomically: a killed process leaves no file of zero bytes, which would
 * look like a lost database. Keeps an existing file and removes unfinished files of earlier attempts. If several
 * processes do this at once, one creates the file and the others use it. Throws UnusableDatabaseError.
 */
export async function createDatabaseFile(file: string): Promise<void> {
  const unfinished = `${file}${UNFINISHED}${randomBytes(6).toString('hex')}`;
  try {
    if (existsSync(file)) return await removeUnfinished(file);
    const database = new Libsql(unfinished);
    try {
      // Writes the first page and leaves no log file.
      database.pragma('journal_mode = WAL');
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

/** Removes all unfinished files, also those of killed processes. */
async function removeUnfinished(file: string): Promise<void> {
  const folder = dirname(file);
  for (const name of await readdir(folder))
    if (name.startsWith(`${basename(file)}${UNFINISHED}`)) await rm(join(folder, name), { force: true });
}
