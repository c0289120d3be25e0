const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;
/** Who has lived so long did not end because of how it was started. */
const LONG_LIFE_MS = 60_000;

/** Answers how long to wait before a worker that has lived for so long is started again: longer each time it was short. */
export function createRestartPause(): (livedMs: number) => number {
  let next = FIRST_PAUSE_MS;
  return (livedMs) => {
    if (livedMs >= LONG_LIFE_MS) next = FIRST_PAUSE_MS;
    const pause = next;
    next = Math.min(next * 2, MAX_PAUSE_MS);
    return pause;
  };
}
