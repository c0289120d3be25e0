import { UnusableDatabaseError } from '../errors.ts';
import { withPatience } from '../with-patience.ts';
import { PING } from './hrana-values.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { RemoteFailure } from './remote-failure.ts';

/** How long a server that is just being started is waited for. */
const PATIENCE_MS = 5_000;

/** Asks a libSQL server whether it is there and takes the token. Throws UnusableDatabaseError. */
export async function requireServer(connection: RemoteConnection): Promise<void> {
  const mayCome = (error: unknown) => (error instanceof RemoteFailure && error.mayPass ? PATIENCE_MS : 0);
  try {
    await withPatience(() => connection.read([{ stmt: PING }]), mayCome);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isTokenRefused = error instanceof RemoteFailure && error.isTokenRefused;
    const hint = isTokenRefused ? ': check REPO_DATABASE_AUTH_TOKEN' : '';
    throw new UnusableDatabaseError(`The database cannot be used: ${error.message}${hint}.`, { cause: error });
  }
}
