import type { ResultSet } from '@libsql/client';
import { ServiceError } from '../../base/errors.ts';
import { createDatabaseClient, type DatabaseClient } from '../database-client.ts';
import { findGeneration } from '../generation.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { RemoteGeneration } from './remote-generation.ts';
import { RemoteReader } from './remote-reader.ts';
import { RemoteWriter } from './remote-writer.ts';

/** How often it is looked whether the generation is to be asked for, and from which age on that is done. */
const HEARTBEAT_MS = 100;
const OLD_MS = 300;

/** The client of a database on a libSQL server. Several requests' reads, and several writes, share a round trip. */
export function createRemoteClient(connection: RemoteConnection): DatabaseClient {
  const known = new RemoteGeneration();
  const reader = new RemoteReader(connection, known);
  const writer = new RemoteWriter(connection, known);
  let isClosed = false;
  let asking: Promise<ResultSet[]> | undefined;

  const requireOpen = () => {
    if (isClosed) throw new ServiceError('unavailable', 'The service is stopping.');
  };
  const askGeneration = () => {
    asking ??= reader.run([findGeneration()]).finally(() => {
      asking = undefined;
    });
    return asking;
  };
  const heartbeat = setInterval(() => {
    // A failure is told to the next who asks for something.
    if (known.age > OLD_MS && asking === undefined) askGeneration().catch(() => {});
  }, HEARTBEAT_MS).unref();
  return createDatabaseClient({
    protocol: 'http',
    isClosed: () => isClosed,
    async first(sql, args) {
      requireOpen();
      return (await reader.run([{ sql, args }]))[0]?.rows[0];
    },
    async read(statements) {
      requireOpen();
      return reader.run(statements);
    },
    async write(statements) {
      requireOpen();
      return writer.write(statements);
    },
    // Every read is a request of its own time already.
    refresh: () => {},
    async generation() {
      requireOpen();
      return known.fresh ?? ((await askGeneration())[0]?.rows[0]?.[0] as number);
    },
    knownGeneration: () => known.fresh,
    watch: () => ({ isTold: false, close: () => {} }),
    async finish() {
      isClosed = true;
      clearInterval(heartbeat);
      await writer.whenIdle();
    },
  });
}
