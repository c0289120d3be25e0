import { readableSize } from '../../field-types/readable.tsx';
import type { StatusLine } from '../../web/status-report.ts';

const SECONDS_PER_DAY = 86_400;

/** Returns a line about a part in order. */
export function fine(label: string, value: string): StatusLine {
  return { label, value, state: 'fine' };
}

/** Returns a line about a part that an administrator should look at. */
export function look(label: string, value: string, advice: string, path?: string): StatusLine {
  return { label, value, state: 'look', advice, path };
}

/** Returns a line about a part that does not work. */
export function fix(label: string, value: string, advice: string, path?: string): StatusLine {
  return { label, value, state: 'fix', advice, path };
}

/** Formats a number of bytes: `1.2 MB`. */
export function sizeText(bytes: number): string {
  return readableSize(bytes, 'en') ?? `${bytes} bytes`;
}

/** Returns how many days ago a time was (both in seconds since 1970). */
export function daysSince(then: number, now: number): number {
  return (now - then) / SECONDS_PER_DAY;
}
