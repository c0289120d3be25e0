import { statSync } from 'node:fs';
import { ServiceError } from '../../base/errors.ts';

/**
 * Returns a function that throws `unavailable` if the files of an open database were removed or replaced: SQLite would
 * write on into the removed files.
 */
export function createPresenceCheck(file: string): () => void {
  // Windows removes no open file.
  if (process.platform === 'win32' || file === ':memory:') return () => {};
  const files = [file, `${file}-wal`].map((path) => ({ path, identity: identityOf(path) }));
  return () => {
    for (const { path, identity } of files) {
      if (identity === undefined || identityOf(path) === identity) continue;
      throw new ServiceError('unavailable', 'The database cannot be used at present.', {
        cause: new Error(
          `${path} was removed or replaced while the program uses it. Bring the files back, and restart it.`,
        ),
        headers: { 'Retry-After': '60' },
      });
    }
  };
}

/** Returns the device and inode of a file; undefined for none. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}
