import type { CitationDate, DatePoint } from './citation-date.ts';

export const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];
export const SEASONS = ['Spring', 'Summer', 'Fall', 'Winter'];

/** Returns a date, or a range with a dash. An open end stays open. */
export function rangeOf({ start, end, isRange }: CitationDate, words: (point: DatePoint) => string): string {
  const first = start === undefined ? '' : words(start);
  if (!isRange) return first;
  const last = end === undefined ? '' : words(end);
  return first === last ? first : `${first}–${last}`;
}

/** Returns a date with the mark of an approximate date before it, and of an uncertain one after it. */
export function qualified(words: string, { isApproximate, isUncertain }: CitationDate, approximately: string): string {
  return `${isApproximate ? approximately : ''}${words}${isUncertain ? '?' : ''}`;
}
