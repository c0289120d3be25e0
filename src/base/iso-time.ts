/** Returns a time in seconds since 1970 as `2026-11-23T17:00:00Z`. */
export function isoTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}
