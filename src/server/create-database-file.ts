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
    if (!existsSync(file)) {
      await createAs(unfinished, file);
      await syncFolder(dirname(file));
    }
    await removeUnfinished(file);
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Creates the file under a name of its own first. Another process that is faster creates the file and removes this one. */
async function createAs(unfinished: string, file: string): Promise<void> {
  try {
    writeFirstPage(unfinished);
    await link(unfinished, file);
  } catch (error) {
    if (!existsSync(file) && !NO_LINKS.has(codeOf(error) ?? '')) throw error;
  }
}

/** Writes the first page of a database, and leaves no log file. */
function writeFirstPage(file: string): void {
  const database = new Libsql(file);
  try {
    database.pragma('journal_mode = WAL');
  } finally {
    database.close();
  }
}

/** Removes all unfinished files, also those of killed processes. */
async function removeUnfinished(file: string): Promise<void> {
  const folder = dirname(file);
  for (const name of await readdir(folder))
    if (name.startsWith(`${basename(file)}${UNFINISHED}`)) await rm(join(folder, name), { force: true });
}
