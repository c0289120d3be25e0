const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 400;

/**
 * Retries `work` with exponential backoff. `timeoutFor` returns how long an error may be retried, in milliseconds after
 * `since`. Throws the last error.
 */
export async function retry<T>(
  work: () => Promise<T>,
  timeoutFor: (error: unknown) => number,
  since = performance.now(),
): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      // Random, so that processes that failed together do not retry together.
      const wait = pause * (0.5 + Math.random());
      if (performance.now() + wait - since > timeoutFor(error)) throw error;
      await Bun.sleep(wait);
    }
  }
}
