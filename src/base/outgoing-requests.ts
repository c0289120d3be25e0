import { environmentWith, readEnv } from './env.ts';

/**
 * Of the runtime, which lets 256 requests to other servers be under way and reads this once, at its start. A download
 * out of a bucket is one for as long as its reader takes: slow readers would keep us from asking the database.
 */
const VARIABLE = 'BUN_CONFIG_MAX_HTTP_REQUESTS';
const MAX_REQUESTS = '10000';

/** Whether this process may have many requests to other servers under way. */
export function mayHaveManyRequests(): boolean {
  return readEnv(VARIABLE) !== undefined;
}

/** The whole environment and some variables more, for another process of this program that may; one that says how many holds. */
export function environmentForManyRequests(variables: Record<string, string> = {}): Record<string, string> {
  return environmentWith({ [VARIABLE]: readEnv(VARIABLE) ?? MAX_REQUESTS, ...variables });
}
