import { accessSync, constants } from 'node:fs';
import { DamageLog } from '../damaged-text.ts';
import { createDatabase, type Database } from '../database.ts';
import { createDatabaseClient, type DatabaseClient } from '../database-client.ts';
import { unusable } from '../errors.ts';
import { createPresenceCheck } from './file-presence.ts';
import { type ConnectionSizes, LocalConnection } from './local-connection.ts';
import { LocalReader } from './local-reader.ts';
import { SnapshotReader } from './snapshot-reader.ts';
import { WalIndex } from './wal-index.ts';
import { watchWrites } from './watch-writes.ts';
import { WriteQueue } from './write-queue.ts';

/** Opens a database file, or creates it. Throws UnusableDatabaseError. */
export function openLocalDatabase(file: string, sizes: ConnectionSizes = {}): Database {
  try {
    const database = createDatabase(createLocalClient(file, sizes), false);
    // SQLite opens a read-only file without an error, and fails at the first write.
    accessSync(file, constants.W_OK);
    return database;
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Creates the client of a local file, with cached prepared statements and one write queue. */
export function createLocalClient(file: string, sizes: ConnectionSizes = {}): DatabaseClient {
  const damages = new DamageLog();
  const writer = new LocalConnection(file, { ...sizes, damages });
  // A second connection, so that reads continue while a write waits for the disk.
  const connection = new LocalConnection(file, { ...sizes, damages });
  const walIndex = WalIndex.open(file);
  const snapshots = new SnapshotReader(connection, walIndex);
  const reader = new LocalReader(snapshots);
  const requireFiles = createPresenceCheck(file);
  const queue = new WriteQueue(writer, snapshots.end);
  let isClosed = false;

  return createDatabaseClient({
    protocol: 'file',
    damages,
    ...reader,
    requireFiles,
    async write(statements) {
      requireFiles();
      return queue.write(statements);
    },
    script: (sql) => writer.script(sql),
    refresh: snapshots.refresh,
    watch: (listener) => watchWrites(file, listener),
    async finish() {
      if (isClosed) return;
      isClosed = true;
      snapshots.end();
      connection.close();
      await queue.whenIdle();
      writer.close();
      walIndex?.close();
    },
  });
}
