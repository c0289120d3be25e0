import type { RetryStrategyV2, RetryToken } from '@smithy/types';
import { isTransient } from './failure.ts';

/** The limits of retrying a request while the server answers "later" or not at all. */
export interface Patience {
  /** Maximum time from the first failure to the start of the last attempt. */
  readonly totalMs: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

/** The limits by purpose. */
export const PATIENCE = {
  /** Long: a client would have to send gigabytes again. */
  write: { totalMs: 30_000, firstWaitMs: 100, longestWaitMs: 8_000 },
  /** Shorter: a client waits for the first byte. */
  read: { totalMs: 8_000, firstWaitMs: 100, longestWaitMs: 2_000 },
  /** Removals are retried later anyway, and the end of the program waits for them. */
  remove: { totalMs: 3_000, firstWaitMs: 100, longestWaitMs: 1_000 },
  /** Tolerates one failure, and answers soon. */
  check: { totalMs: 1_500, firstWaitMs: 100, longestWaitMs: 500 },
  /** Requests that are repeated soon anyway. */
  once: { totalMs: 0, firstWaitMs: 0, longestWaitMs: 0 },
} satisfies Record<string, Patience>;

interface TimedToken extends RetryToken {
  /** By `performance.now()`; undefined before the first failure. */
  readonly deadlineMs: number | undefined;
}

/**
 * Creates the strategy by which the SDK retries transient failures: waits double, and are shortened at random so that
 * clients that were refused together do not come back together. The strategies of the SDK count attempts instead, and
 * give up sooner while many requests fail at once.
 */
export function createRetryStrategy(patience: Patience): RetryStrategyV2 {
  return {
    acquireInitialRetryToken: async () => tokenOf(0, 0, undefined),
    async refreshRetryTokenForRetry(token: TimedToken, { error }) {
      const count = token.getRetryCount();
      const now = performance.now();
      const { deadlineMs = now + patience.totalMs } = token;
      const waitMs = waitBefore(count, patience, Math.random());
      if (!isTransient(error) || patience.totalMs === 0 || now + waitMs > deadlineMs) throw error;
      return tokenOf(count + 1, waitMs, deadlineMs);
    },
    recordSuccess: () => undefined,
  };
}

function tokenOf(count: number, delayMs: number, deadlineMs: number | undefined): TimedToken {
  return { getRetryCount: () => count, getRetryDelay: () => delayMs, deadlineMs };
}

/** Returns the wait after failed attempt `attempt`, counted from 0: between half of its step and all of it. */
export function waitBefore(attempt: number, { firstWaitMs, longestWaitMs }: Patience, chance: number): number {
  const step = Math.min(firstWaitMs * 2 ** attempt, longestWaitMs);
  return step / 2 + (step / 2) * chance;
}
