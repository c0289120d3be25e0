const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Days since 1970 in UTC, both included. */
export interface UsagePeriod {
  readonly first: number;
  readonly last: number;
}

/** Parses a day such as `2026-11-28`, to days since 1970. Undefined if there is no such day. */
export function parseDay(text: string): number | undefined {
  const at = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  const day = at / DAY_MS;
  // Some engines take the 30th of February for a day of March.
  return Number.isInteger(day) && dayText(day) === text ? day : undefined;
}

/** Formats a day since 1970: `2026-11-28`. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the day of a time in seconds since 1970. */
export function dayOf(seconds: number): number {
  return Math.floor((seconds * 1_000) / DAY_MS);
}

/** Returns the first day of a month, `months` before the one of a day. */
export function monthStart(day: number, months = 0): number {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 1) / DAY_MS;
}
