import { createDatabaseClient, type DatabaseClient } from '../database-client.ts';
import { LocalConnection } from './local-connection.ts';
import { LocalReader } from './local-reader.ts';
import { SnapshotReader } from './snapshot-reader.ts';
import { watchWrites } from './watch-writes.ts';
import { WriteQueue } from './write-queue.ts';

/** The libSQL client of a local file, with kept statements and one write queue. */
export function createLocalClient(file: string, cache: { readonly cacheKib?: number } = {}): DatabaseClient {
  const writer = new LocalConnection(file, cache);
  // Reads go on while a write waits for the disk.
  const connection = new LocalConnection(file, cache);
  const snapshots = new SnapshotReader(connection);
  const reader = new LocalReader(snapshots);
  const queue = new WriteQueue(writer, snapshots.end);
  let isClosed = false;

  return createDatabaseClient({
    protocol: 'file',
    isClosed: () => isClosed,
    first: reader.first,
    read: reader.run,
    write: (statements) => queue.write(statements),
    script: (sql) => writer.script(sql),
    refresh: snapshots.end,
    generation: reader.generation,
    knownGeneration: reader.knownGeneration,
    stamp: reader.stamp,
    watch: (listener) => watchWrites(file, listener),
    async finish() {
      if (isClosed) return;
      isClosed = true;
      snapshots.end();
      connection.close();
      await queue.whenIdle();
      writer.close();
    },
  });
}
