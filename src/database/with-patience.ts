const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 400;

/**
 * Tries until it succeeds, with growing pauses, as long as `patienceFor` the last failure (milliseconds since
 * `since`) lasts. Throws the last failure.
 */
export async function withPatience<T>(
  work: () => Promise<T>,
  patienceFor: (error: unknown) => number,
  since = performance.now(),
): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      // Processes that failed together must not come back together.
      const wait = pause * (0.5 + Math.random());
      if (performance.now() + wait - since > patienceFor(error)) throw error;
      await Bun.sleep(wait);
    }
  }
}
