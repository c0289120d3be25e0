import { isTransient } from './s3-failure.ts';

/** How long a request is tried again while the server says "later" or nothing. */
export interface Patience {
  /** No new attempt begins later than this after the first has failed. */
  readonly totalMs: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

/** For what is written: whoever has sent gigabytes waits rather than sends them again. */
export const PATIENCE_TO_WRITE: Patience = { totalMs: 30_000, firstWaitMs: 100, longestWaitMs: 8_000 };
/** For what is read: somebody is waiting for the first byte. */
export const PATIENCE_TO_READ: Patience = { totalMs: 8_000, firstWaitMs: 100, longestWaitMs: 2_000 };
/** For what is removed: it is tried again later anyhow, and who stops the program waits for it. */
export const PATIENCE_TO_REMOVE: Patience = { totalMs: 3_000, firstWaitMs: 100, longestWaitMs: 1_000 };
/** For a question whose answer must not rest upon one failure, and must come soon. */
export const PATIENCE_TO_CHECK: Patience = { totalMs: 1_500, firstWaitMs: 100, longestWaitMs: 500 };
/** For a question that is asked again soon by itself. */
export const NO_PATIENCE: Patience = { totalMs: 0, firstWaitMs: 0, longestWaitMs: 0 };

/**
 * Does work again and again while it fails in a way that may pass, after waits that double and are cut short by
 * chance, so that many who were refused together do not come back together. Throws what the last attempt threw, or
 * the reason of the abort.
 */
export async function withRetries<T>(
  patience: Patience,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  let deadline: number | undefined;
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTransient(error)) throw error;
      deadline ??= performance.now() + patience.totalMs;
      const waitMs = waitBefore(attempt, patience, Math.random());
      if (performance.now() + waitMs > deadline || patience.totalMs === 0) throw error;
      await sleep(waitMs, signal);
    }
  }
}

/** The wait after failed attempt `attempt`, counted from 0: between the half and the whole of its step. */
export function waitBefore(attempt: number, { firstWaitMs, longestWaitMs }: Patience, chance: number): number {
  const step = Math.min(firstWaitMs * 2 ** attempt, longestWaitMs);
  return step / 2 + (step / 2) * chance;
}

/** Waits, but no longer than until the abort, whose reason it throws. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
  });
}
