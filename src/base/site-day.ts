const HOUR_S = 3_600;
/** No day of any time zone is longer. */
const MAX_DAY_S = 26 * HOUR_S;

/** The days of a time zone. */
export interface SiteDays {
  /** Returns the day at a time in seconds since 1970, such as `2027-05-01`. */
  dayAt(seconds: number): string;
  /** Returns the time at which the next day begins, in seconds since 1970. */
  nextDayAfter(seconds: number): number;
  /** Returns the time at which a day begins, in seconds since 1970; 0 for days before. */
  beginOf(day: string): number;
}

/**
 * Creates the days of a time zone (IANA name). Throws RangeError for an unknown one. Days are computed once: a clock that
 * jumps, in either direction, gets the day of its new time.
 */
export function createSiteDays(timeZone: string): SiteDays {
  const parts = new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  let known = { from: 0, until: 0, day: '' };

  function compute(seconds: number): string {
    const values = Object.fromEntries(parts.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]));
    return `${values.year?.padStart(4, '0')}-${values.month}-${values.day}`;
  }

  /** Finds the beginning of the next day by bisection: time zones change their offset at any hour. */
  function beginOfNext(seconds: number, day: string): number {
    let [low, high] = [seconds, seconds + MAX_DAY_S];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (compute(middle) === day) low = middle;
      else high = middle;
    }
    return high;
  }

  function at(seconds: number): typeof known {
    if (seconds >= known.from && seconds < known.until) return known;
    const day = compute(seconds);
    known = { from: seconds, until: beginOfNext(seconds, day), day };
    return known;
  }

  const begins = new Map<string, number>();
  /** Finds the first time that is not before a day: time zones have skipped days. */
  function beginOf(day: string): number {
    const known = begins.get(day);
    if (known !== undefined) return known;
    const midnight = Math.max(0, Date.parse(`${day}T00:00:00Z`) / 1000);
    let [low, high] = [Math.max(-1, midnight - MAX_DAY_S), midnight + MAX_DAY_S];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (compute(middle) < day) low = middle;
      else high = middle;
    }
    begins.set(day, high);
    return high;
  }

  return { dayAt: (seconds) => at(seconds).day, nextDayAfter: (seconds) => at(seconds).until, beginOf };
}
