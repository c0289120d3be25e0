/**
 * The present in SQL, in seconds since 1970 with fractions: of many machines that share a database, all go by its
 * clock.
 */
export const NOW = "unixepoch('subsec')";

/** A number of seconds of the database, without what its reckoning leaves behind the milliseconds; 0 for none. */
export function roundedSeconds(seconds: unknown): number {
  return Math.round(Number(seconds ?? 0) * 1_000) / 1_000;
}
