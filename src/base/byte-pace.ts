import { setTimeout } from 'node:timers/promises';

/** After a pause, readers may exceed the rate by this time's share. */
const MAX_SAVED_SECONDS = 1;

/** Limits readers to a shared rate. */
export interface Pace {
  /** Resolves when these bytes are due. Rejects with the reason of the abort. */
  take(bytes: number, signal: AbortSignal): Promise<void>;
}

/** Creates a limit in bytes a second; undefined for no limit. */
export function createPace(bytesPerSecond: number | undefined, now = () => performance.now()): Pace {
  if (bytesPerSecond === undefined) return { take: async () => {} };
  let last = now();
  // Negative after a chunk larger than a second's share, which waits longer.
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
