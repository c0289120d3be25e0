import { readEnv } from '../../src/base/env.ts';

/** True in `make nightly`, which runs each test at its large size. */
export const IS_FULL_SIZE = readEnv('REPO_TEST_SIZE') === 'full';

/** Returns the size at which a test runs: the small one in `make prove`, the full one in `make nightly`. */
export function sized<T>(small: T, full: T): T {
  return IS_FULL_SIZE ? full : small;
}
