const NUMBERS = new Intl.NumberFormat('en-GB');
const UNITS = [
  { seconds: 86_400, name: 'day' },
  { seconds: 3_600, name: 'hour' },
  { seconds: 60, name: 'minute' },
  { seconds: 1, name: 'second' },
] as const;

/** Units of bytes. */
const BYTES = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;
const BYTES_STEP = 1_000;

/** Formats a whole number: `10,000`. */
export function numberText(count: number): string {
  return NUMBERS.format(count);
}

/** Formats a count: `10,000 files`, `1 file`. */
export function countInWords(count: number, noun: string, plural = `${noun}s`): string {
  return `${numberText(count)} ${count === 1 ? noun : plural}`;
}

/** Formats a number of bytes: `1.2 MB`. */
export function byteText(bytes: number): string {
  let power = 0;
  // 999 950 would be written as 1000.0 kB.
  while (power < BYTES.length - 1 && bytes / BYTES_STEP ** power >= BYTES_STEP - 0.05) power += 1;
  if (power === 0) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return `${(bytes / BYTES_STEP ** power).toFixed(1)} ${BYTES[power]}`;
}

/** Formats a duration in its largest unit: `3 hours`, `1 day`, `less than a second`. */
export function secondsInWords(seconds: number): string {
  // 90 minutes are more exact than 1 hour.
  const unit = UNITS.find(({ seconds: length }) => seconds >= 2 * length) ?? UNITS[UNITS.length - 1];
  if (unit === undefined || seconds < 1) return 'less than a second';
  return countInWords(Math.floor(seconds / unit.seconds), unit.name);
}

/** Formats a time in seconds since 1970: `2026-11-22 04:30 UTC`. */
export function momentInWords(seconds: number): string {
  return `${isoTime(seconds).slice(0, 16).replace('T', ' ')} UTC`;
}

/** Formats a time in seconds since 1970 for responses: `2026-11-23T17:00:00Z`. */
export function isoTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** Formats a time in seconds since 1970 as JSON does: `2026-11-23T17:00:00.000Z`. */
export function jsonTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}
