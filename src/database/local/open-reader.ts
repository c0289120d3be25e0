import { createDatabaseClient, type DatabaseClient } from '../database-client.ts';
import { findGeneration } from '../dated.ts';
import { InterruptibleReader } from './interruptible-reader.ts';
import { watchWrites } from './watch-writes.ts';

/** Creates the client of a further reader of a file, such as a thread, while other connections write to it. */
export async function createReaderClient(
  file: string,
  { cacheKib }: { readonly cacheKib: number },
): Promise<DatabaseClient> {
  const reader = await InterruptibleReader.open(file, cacheKib);
  return createDatabaseClient({
    protocol: 'file',
    damages: reader.damages,
    first: reader.first,
    read: reader.read,
    write: () => Promise.reject(new Error('this connection only reads')),
    interrupt: reader.interrupt,
    // Each read has its own snapshot.
    refresh: () => {},
    async generation() {
      const { sql, args } = findGeneration();
      return (await reader.first(sql, args))?.[0] as number;
    },
    knownGeneration: () => undefined,
    watch: (listener) => watchWrites(file, listener),
    finish: () => reader.close(),
  });
}
