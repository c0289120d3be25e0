import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDatabase, type Database, openLocalDatabase } from './database.ts';
import { UnusableDatabaseError, unusable } from './errors.ts';
import { parseRemoteAddress, type RemoteAddress } from './remote/remote-address.ts';
import { createRemoteClient } from './remote/remote-client.ts';
import { RemoteConnection, type RemoteOptions } from './remote/remote-connection.ts';
import { createReplicaClient } from './remote/replica-client.ts';
import { requireServer } from './remote/require-server.ts';

/** Where a database is. */
export interface DatabasePlace {
  /** The file that is used without `url`, and as the replica with `syncUrl`. */
  readonly file: string | undefined;
  /** `file:…`, `libsql://…`, `http(s)://…`, or undefined for `file`. */
  readonly url: string | undefined;
  readonly authToken: string | undefined;
  /** The server that the file is a replica of. */
  readonly syncUrl: string | undefined;
  /** Of pages of a file that is no replica, for each of the two connections; left out: as much as a server takes. */
  readonly cacheKib?: number;
}

/** Opens the database of a place. Throws UnusableDatabaseError, which says what to do. */
export async function openDatabase(place: DatabasePlace, options: RemoteOptions = {}): Promise<Database> {
  const { url, authToken, syncUrl } = place;
  if (syncUrl !== undefined) return openReplica(fileOf(place), parseRemoteAddress(syncUrl, authToken), options);
  if (url !== undefined && !/^file:/i.test(url)) {
    const address = parseRemoteAddress(url, authToken);
    const connection = new RemoteConnection(address, options);
    await requireServer(connection);
    return createDatabase(createRemoteClient(connection), true);
  }
  return openLocalDatabase(fileOf(place), place);
}

async function openReplica(file: string, address: RemoteAddress, options: RemoteOptions): Promise<Database> {
  await requireServer(new RemoteConnection(address, options));
  try {
    return createDatabase(await createReplicaClient(file, address, options), true);
  } catch (error) {
    throw unusable(file, error);
  }
}

/** The file of an address: `file:a.db` is relative, `file:///a.db` is not. Undefined for none, and for another kind of address. */
export function databaseFileOfUrl(url: string | undefined): string | undefined {
  if (url === undefined || !/^file:/i.test(url)) return undefined;
  return resolve(/^file:\/\//i.test(url) ? fileURLToPath(url) : url.slice('file:'.length));
}

function fileOf({ url, file }: DatabasePlace): string {
  const found = databaseFileOfUrl(url) ?? file;
  if (found === undefined) throw new UnusableDatabaseError('No database is named: set REPO_DATABASE_URL.');
  return found;
}
