import { DamageLog } from '../damaged-text.ts';
import { createDatabaseClient, type DatabaseClient } from '../database-client.ts';
import { LocalConnection } from './local-connection.ts';
import { LocalReader } from './local-reader.ts';
import { SnapshotReader } from './snapshot-reader.ts';
import { watchWrites } from './watch-writes.ts';

/** Creates the client of a further reader of a file, such as a thread, while other connections write to it. */
export function createReaderClient(file: string, { cacheKib }: { readonly cacheKib: number }): DatabaseClient {
  const damages = new DamageLog();
  const connection = new LocalConnection(file, { isReader: true, cacheKib, damages });
  const snapshots = new SnapshotReader(connection);
  const reader = new LocalReader(snapshots);
  return createDatabaseClient({
    protocol: 'file',
    damages,
    ...reader,
    write: () => Promise.reject(new Error('this connection only reads')),
    refresh: snapshots.end,
    watch: (listener) => watchWrites(file, listener),
    async finish() {
      snapshots.end();
      connection.close();
    },
  });
}
