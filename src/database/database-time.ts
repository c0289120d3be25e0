import { sql } from 'drizzle-orm';

/**
 * The present time in SQL, in seconds since 1970 with fractions. Machines that share a database all use its clock.
 */
export const CLOCK = sql<number>`unixepoch('subsec')`;

/** `CLOCK` as text, for plain SQL. */
export const NOW = "unixepoch('subsec')";

/** Rounds seconds to milliseconds; returns 0 for a missing value. */
export function roundedSeconds(seconds: number | null | undefined): number {
  return Math.round((seconds ?? 0) * 1_000) / 1_000;
}
