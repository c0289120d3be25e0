import { ServiceError } from '../../base/errors.ts';
import { DamageLog } from '../damaged-text.ts';
import { createDatabaseClient, type DatabaseClient } from '../database-client.ts';
import { LocalConnection } from '../local/local-connection.ts';
import { LocalReader } from '../local/local-reader.ts';
import { SnapshotReader } from '../local/snapshot-reader.ts';
import { PING } from './hrana.ts';
import type { RemoteAddress } from './remote-address.ts';
import { RemoteConnection, type RemoteOptions } from './remote-connection.ts';
import { unreachable } from './remote-failure.ts';
import { RemoteGeneration } from './remote-generation.ts';
import { RemoteWriter } from './remote-writer.ts';
import { ReplicaSync } from './replica-sync.ts';

/**
 * Creates the client of a local replica of a database on a server. It reads from the file and writes to the server; a
 * write resolves when the file has it too. Writes of others arrive within half a second.
 */
export async function createReplicaClient(
  file: string,
  address: RemoteAddress,
  options: RemoteOptions,
): Promise<DatabaseClient> {
  let endSnapshot = () => {};
  const sync = new ReplicaSync(file, address, () => endSnapshot(), options.timeoutMs);
  const damages = new DamageLog();
  let connection: LocalConnection;
  try {
    await sync.now();
    connection = new LocalConnection(file, { isReader: true, damages });
  } catch (error) {
    await sync.close();
    throw error;
  }
  const snapshots = new SnapshotReader(connection);
  endSnapshot = snapshots.end;
  const reader = new LocalReader(snapshots);
  const remote = new RemoteConnection(address, options);
  const writer = new RemoteWriter(remote, new RemoteGeneration(), () => sync.withTimeout());
  sync.start(() => remote.read([{ stmt: PING }]));
  let isClosed = false;

  return createDatabaseClient({
    protocol: 'file',
    damages,
    first: reader.first,
    read: reader.read,
    async write(statements) {
      if (isClosed) throw new ServiceError('unavailable', 'The service is stopping.');
      if (sync.isLate) throw unreachable(new Error('the replica is too far behind its server'));
      return writer.write(statements);
    },
    refresh: snapshots.end,
    generation: reader.generation,
    knownGeneration: reader.knownGeneration,
    watch: () => ({ isTold: false, close: () => {} }),
    async finish() {
      if (isClosed) return;
      isClosed = true;
      await writer.whenIdle();
      snapshots.end();
      connection.close();
      await sync.close();
    },
  });
}
