import { environmentWith, readEnv } from './env.ts';

/**
 * The variable of the runtime for the maximum number of concurrent outgoing requests, read once at its start (default:
 * 256). A download from a bucket is one request until its reader has finished: slow readers would block the database.
 */
const VARIABLE = 'BUN_CONFIG_MAX_HTTP_REQUESTS';
const MAX_REQUESTS = '10000';

/** Returns true if this process has a limit of its own for outgoing requests. */
export function mayHaveManyRequests(): boolean {
  return readEnv(VARIABLE) !== undefined;
}

/** Returns the environment for another process of this program with the higher limit. A configured limit stays. */
export function environmentForManyRequests(variables: Record<string, string> = {}): Record<string, string> {
  return environmentWith({ [VARIABLE]: readEnv(VARIABLE) ?? MAX_REQUESTS, ...variables });
}
