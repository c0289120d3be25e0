import { sql } from 'drizzle-orm';

/**
 * The present in SQL, in seconds since 1970 with fractions: of many machines that share a database, all go by its
 * clock.
 */
export const CLOCK = sql<number>`unixepoch('subsec')`;

/** The same as text, for statements in plain text. */
export const NOW = "unixepoch('subsec')";

/** Rounds a number of seconds of the database to milliseconds; 0 for none. */
export function roundedSeconds(seconds: number | null | undefined): number {
  return Math.round((seconds ?? 0) * 1_000) / 1_000;
}
