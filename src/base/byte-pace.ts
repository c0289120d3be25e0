import { setTimeout } from 'node:timers/promises';

/** A reader that was held up may catch up on so much, no more. */
const MAX_SAVED_SECONDS = 1;

/** Keeps readers to a rate that they share. */
export interface Pace {
  /** Resolves when these bytes were due. Rejects with the reason of the abort. */
  take(bytes: number, signal: AbortSignal): Promise<void>;
}

/** So many bytes in a second over any length of time; undefined: as fast as they come. */
export function createPace(bytesPerSecond: number | undefined, now = () => performance.now()): Pace {
  if (bytesPerSecond === undefined) return { take: async () => {} };
  let last = now();
  // What is taken in advance is paid off by waiting: a chunk that is larger than a second's share passes too.
  let saved = 0;
  return {
    async take(bytes, signal) {
      const at = now();
      saved = Math.min(saved + ((at - last) / 1_000) * bytesPerSecond, MAX_SAVED_SECONDS * bytesPerSecond);
      last = at;
      saved -= bytes;
      if (saved >= 0) return;
      await setTimeout((-saved / bytesPerSecond) * 1_000, undefined, { signal });
    },
  };
}
