const FIRST_DELAY_S = 30;
const GROWTH = 4.5;
const LONGEST_DELAY_S = 3600;
/** Jobs that failed together, as when a processor went down, come back apart. */
const JITTER = 0.2;

/**
 * How many seconds a job waits after its failed attempt number `attempts`, counted from 1. `random` gives
 * numbers from 0 to 1. Five attempts take about an hour, time enough for a service to be set right:
 *
 * | after attempt | 1 | 2 | 3 | 4 | 5 and later |
 * |---|---|---|---|---|---|
 * | waits, ± 20 % | 30 s | 2 min 15 s | 10 min | 46 min | 1 h |
 */
export function retryDelaySeconds(attempts: number, random: () => number): number {
  const delay = Math.min(FIRST_DELAY_S * GROWTH ** Math.max(attempts - 1, 0), LONGEST_DELAY_S);
  return Math.round(delay * (1 - JITTER + 2 * JITTER * random()));
}
