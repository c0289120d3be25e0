import type { ResultSet } from '@libsql/client';
import { ServiceError } from '../../base/errors.ts';
import { DamageLog } from '../damaged-text.ts';
import { createDatabaseClient, type DatabaseClient } from '../database-client.ts';
import { findGeneration } from '../dated.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { RemoteGeneration } from './remote-generation.ts';
import { RemoteReader } from './remote-reader.ts';
import { RemoteWriter } from './remote-writer.ts';

/** The interval of checks of the generation's age, and the age at which it is read again. */
const HEARTBEAT_MS = 100;
const REFRESH_AGE_MS = 300;

/** Creates the client of a database on a libSQL server. Concurrent reads share a round trip, and so do writes. */
export function createRemoteClient(connection: RemoteConnection): DatabaseClient {
  const known = new RemoteGeneration();
  const damages = new DamageLog();
  const reader = new RemoteReader(connection, known, damages);
  const writer = new RemoteWriter(connection, known);
  let isClosed = false;
  let pending: Promise<ResultSet[]> | undefined;

  const requireOpen = () => {
    if (isClosed) throw new ServiceError('unavailable', 'The service is stopping.');
  };
  const readGeneration = () => {
    pending ??= reader.run([findGeneration()]).finally(() => {
      pending = undefined;
    });
    return pending;
  };
  const heartbeat = setInterval(() => {
    // The next read reports the error.
    if (known.age > REFRESH_AGE_MS && pending === undefined) readGeneration().catch(() => {});
  }, HEARTBEAT_MS).unref();
  return createDatabaseClient({
    protocol: 'http',
    damages,
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
    // Reads have no snapshot across requests.
    refresh: () => {},
    async generation() {
      requireOpen();
      return known.fresh ?? ((await readGeneration())[0]?.rows[0]?.[0] as number);
    },
    knownGeneration: () => known.fresh,
    interrupt: () => connection.interrupt(),
    watch: () => ({ isTold: false, close: () => {} }),
    async finish() {
      isClosed = true;
      clearInterval(heartbeat);
      await writer.whenIdle();
    },
  });
}
