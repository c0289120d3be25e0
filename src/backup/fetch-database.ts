import { rm } from 'node:fs/promises';
import { createBufferPool } from '../storage/buffered-writer.ts';
import { createFile } from '../storage/real-folder.ts';
import type { StoredBytes } from '../storage/storage.ts';
import { writeStream } from '../storage/write-stream.ts';
import { BackupError, differenceOf, reasonOf } from './errors.ts';
import { type BackupPlace, isSame, nameOfDatabase } from './place.ts';

/**
 * Brings the database of a backup to a file, instead of what is there, for nobody else to read, and checks it on the way:
 * one that is damaged may still be read, and tell of other files than there were. Leaves no file where it throws BackupError;
 * `advice` is what to do then, as a sentence.
 */
export async function fetchDatabase(
  place: BackupPlace,
  database: StoredBytes,
  file: string,
  advice: string,
): Promise<void> {
  const name = nameOfDatabase(database.sha256);
  await rm(file, { force: true });
  const source = await place.get(name);
  try {
    const handle = await createFile(file);
    try {
      await handle.chmod(0o600);
      const options = { pool: createBufferPool(), signal: undefined, onProgress: async () => {} };
      const fetched = await writeStream(handle, source, options);
      if (!isSame(database, fetched))
        throw new BackupError(
          `The database ${name} in ${place.address} is damaged: ${differenceOf(database, fetched)}. ${advice}`,
        );
    } finally {
      await handle.close();
    }
  } catch (error) {
    await rm(file, { force: true });
    if (error instanceof BackupError) throw error;
    throw new BackupError(`${file} cannot be written: ${reasonOf(error)}.`, { cause: error });
  }
}
