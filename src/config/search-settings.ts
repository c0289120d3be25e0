import { number } from './entry-types.ts';
import { setting } from './setting.ts';

const MAX_THREADS = 64;

/** The settings of the engine of searches. */
export const SEARCH_SETTINGS = {
  /** The number of searches that a process runs at a time, each in a thread with arrays of its own. */
  threads: setting('search.threads', number(1, MAX_THREADS), { default: 1 }),
};
