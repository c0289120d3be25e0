import { chmodSync, rmSync } from 'node:fs';
import Libsql from 'libsql';
import { isBusy } from '../database/errors.ts';
import { BackupError } from './errors.ts';
import type { PlaceLock } from './place.ts';

/** Otherwise the collector would close one of which only its timely end is wanted, and its lock with it. */
const held = new Set<Libsql.Database>();

export interface LockOptions {
  /** What is told when someone else has it. */
  readonly taken: string;
  /** Whether the file goes with the lock. */
  readonly isRemoved?: boolean;
}

/**
 * Keeps other processes out by a file. It is the lock of an empty SQLite file: the system takes it back from a process
 * however that ends, so that there is never a stale one. Throws BackupError if someone else has it.
 */
export function lockFile(file: string, { taken, isRemoved = false }: LockOptions): PlaceLock {
  const database = new Libsql(file);
  try {
    database.exec('PRAGMA busy_timeout = 0');
    // It stays empty: no second file beside it.
    database.exec('PRAGMA journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    chmodSync(file, 0o600);
  } catch (error) {
    database.close();
    if (isBusy(error)) throw new BackupError(taken);
    throw error;
  }
  held.add(database);
  return {
    lost: new AbortController().signal,
    async release() {
      held.delete(database);
      if (isRemoved) rmSync(file, { force: true });
      database.exec('ROLLBACK');
      database.close();
    },
  };
}
