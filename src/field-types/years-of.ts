import { MAX_EDTF_CHARACTERS } from './edtf-syntax.ts';
import type { Years } from './field-type.ts';

/** The year at the beginning of a date: four digits, some of them possibly unknown, or a long one with `Y`. */
const YEAR = /^[?~%]?(?:(-?)([\dX]{4})(?![\dX])|Y(-?\d{1,9})(?:E(\d))?)/;
/** The years that the index distinguishes. */
const MAX_YEAR = 999_999_999;

/**
 * Returns the first and the last year of an EDTF expression: `1908-03` has one, `190X` ten, an interval or a set those
 * from its first to its last. An open end ends at the known year. Undefined without a year.
 */
export function yearsOf(edtf: string): Years | undefined {
  if (edtf.length > MAX_EDTF_CHARACTERS) return undefined;
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const part of edtf.split(/[[\]{},/]|\.\./)) {
    const years = yearsOfDate(part.trim());
    if (years === undefined) continue;
    from = Math.min(from, years.from);
    to = Math.max(to, years.to);
  }
  return from > to ? undefined : { from, to };
}

function yearsOfDate(date: string): Years | undefined {
  const [matched, sign, digits, long, exponent = '0'] = YEAR.exec(date) ?? [];
  if (matched === undefined) return undefined;
  if (digits === undefined) {
    const year = bounded(Number(long) * 10 ** Number(exponent));
    return { from: year, to: year };
  }
  const [low, high] = [Number(digits.replaceAll('X', '0')), Number(digits.replaceAll('X', '9'))];
  return sign === '-' ? { from: -high, to: low === 0 ? 0 : -low } : { from: low, to: high };
}

function bounded(year: number): number {
  return Math.max(-MAX_YEAR, Math.min(MAX_YEAR, year));
}
