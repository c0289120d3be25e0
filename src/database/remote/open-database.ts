import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDatabase, type Database } from '../database.ts';
import { UnusableDatabaseError, unusable } from '../errors.ts';
import type { ConnectionSizes } from '../local/local-connection.ts';
import { openLocalDatabase } from '../local/open-local-database.ts';
import { createReaderClient } from '../local/open-reader.ts';
import { unpackLibraryInto } from '../native-library.ts';
import { PING } from './hrana.ts';
import { parseRemoteAddress, type RemoteAddress } from './remote-address.ts';
import { createRemoteClient } from './remote-client.ts';
import { RemoteConnection, type RemoteOptions } from './remote-connection.ts';
import { RemoteFailure } from './remote-failure.ts';
import { createReplicaClient } from './replica-client.ts';
import { retry } from './retry.ts';

/** The location of a database, and the sizes of each of the two connections to a local file, by default those of a server. */
export interface DatabasePlace extends ConnectionSizes {
  /** The file to open without `url`, and the replica with `syncUrl`. */
  readonly file: string | undefined;
  /** `file:…`, `libsql://…`, `http(s)://…`, or undefined for `file`. */
  readonly url: string | undefined;
  readonly authToken: string | undefined;
  /** The server from which the file is replicated. */
  readonly syncUrl: string | undefined;
}

/** The location for a thread, which has the modules of the program, and not their state. */
export interface ReaderPlace extends DatabasePlace {
  readonly cacheKib: number;
  /** Undefined: the native library is unpacked into the folder for temporary files. */
  readonly dataFolder?: string | undefined;
}

/** Opens a database. Throws UnusableDatabaseError, with advice. */
export async function openDatabase(place: DatabasePlace, options: RemoteOptions = {}): Promise<Database> {
  const { url, authToken, syncUrl } = place;
  if (syncUrl !== undefined) return openReplica(fileOf(place), parseRemoteAddress(syncUrl, authToken), options);
  if (url !== undefined && isRemote(url)) {
    const address = parseRemoteAddress(url, authToken);
    const connection = new RemoteConnection(address, options);
    await requireServer(connection);
    return createDatabase(createRemoteClient(connection), true);
  }
  return openLocalDatabase(fileOf(place), place);
}

/**
 * Opens a database that the same process has open, for a thread that only reads. A replica is kept current by the process.
 * Throws UnusableDatabaseError.
 */
export async function openForReading(place: ReaderPlace): Promise<Database> {
  const { url, syncUrl, dataFolder } = place;
  if (dataFolder !== undefined) unpackLibraryInto(dataFolder);
  if (syncUrl === undefined && url !== undefined && isRemote(url)) {
    // The process has checked the server. An outage concerns the first read, as every other.
    return createDatabase(createRemoteClient(new RemoteConnection(parseRemoteAddress(url, place.authToken))), true);
  }
  const file = fileOf(place);
  try {
    return createDatabase(await createReaderClient(file, place), syncUrl !== undefined);
  } catch (error) {
    throw unusable(file, error);
  }
}

function isRemote(url: string): boolean {
  return !/^file:/i.test(url);
}

async function openReplica(file: string, address: RemoteAddress, options: RemoteOptions): Promise<Database> {
  await requireServer(new RemoteConnection(address, options));
  try {
    return createDatabase(await createReplicaClient(file, address, options), true);
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Returns the file of an address, relative in `file:a.db` and absolute in `file:///a.db`; undefined for any other address. */
export function databaseFileOfUrl(url: string | undefined): string | undefined {
  if (url === undefined || !/^file:/i.test(url)) return undefined;
  return resolve(/^file:\/\//i.test(url) ? fileURLToPath(url) : url.slice('file:'.length));
}

function fileOf({ url, file }: DatabasePlace): string {
  const databaseFile = databaseFileOfUrl(url) ?? file;
  if (databaseFile === undefined) throw new UnusableDatabaseError('No database is configured: set REPO_DATABASE_URL.');
  return databaseFile;
}

/** The maximum wait for a server that is starting. */
const RETRY_MS = 5_000;

/** Requires that a libSQL server responds and accepts the token. Throws UnusableDatabaseError. */
async function requireServer(connection: RemoteConnection): Promise<void> {
  const retryTimeout = (error: unknown) => (error instanceof RemoteFailure && error.mayRecover ? RETRY_MS : 0);
  try {
    await retry(() => connection.read([{ stmt: PING }]), retryTimeout);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isTokenRefused = error instanceof RemoteFailure && error.isTokenRefused;
    const hint = isTokenRefused ? ': check REPO_DATABASE_AUTH_TOKEN' : '';
    throw new UnusableDatabaseError(`The database cannot be used: ${error.message}${hint}.`, { cause: error });
  }
}
