/** Maximum length of a parsed expression. Fields allow at most 128 characters. */
export const MAX_EDTF_CHARACTERS = 1000;

/** A date of an EDTF expression with the precision that is known. EDTF counts the year 1 BCE as 0. */
export interface DatePoint {
  /** The first and the last year that it may be in: 1920 and 1929 of `192X`, -1999 and -1900 of `-19XX`. */
  readonly firstYear: number;
  readonly lastYear: number;
  /** 01 to 12, or a season or another part of a year, 21 to 41; X for an unknown digit. */
  readonly month: string | undefined;
  readonly day: string | undefined;
}

/** The members of a set, or the ends of an interval. */
export interface DateParts {
  /** Undefined for an unknown or open end, and for a date in an unknown year. */
  readonly points: readonly (DatePoint | undefined)[];
  /** True for an interval, and a set with several members or an open end. */
  readonly isRange: boolean;
}

const POINT = /^(?:Y(-?\d+)(?:E(\d+))?|(-?)([\dX]{4}))(?:S\d+)?(?:-([\dX]{2})(?:-([\dX]{2}))?)?$/;
const QUALIFIERS = /[?~%]/g;
const UNKNOWN_YEAR = 'XXXX';

/** Returns the dates of an EDTF expression. Undefined without any known year. */
export function datePartsOf(edtf: string): DateParts | undefined {
  if (edtf.length > MAX_EDTF_CHARACTERS) return undefined;
  const members = edtf.replace(/^[[{]|[\]}]$/g, '').split(/,|\.\.|\//);
  // Both ends of `../1985` and `..1985` before the date are one open end.
  const parts = edtf.startsWith('../') ? members.slice(1) : edtf.endsWith('/..') ? members.slice(0, -1) : members;
  const points = parts.map(pointOf);
  if (points.every((point) => point === undefined)) return undefined;
  return { points, isRange: parts.length > 1 };
}

function pointOf(text: string): DatePoint | undefined {
  const [date = ''] = text.trim().replace(QUALIFIERS, '').split('T', 1);
  const [, long, exponent = '0', sign = '', digits = UNKNOWN_YEAR, month, day] = POINT.exec(date) ?? [];
  if (long === undefined && digits === UNKNOWN_YEAR) return undefined;
  const years =
    long === undefined
      ? ['0', '9'].map((digit) => Number(sign + digits.replaceAll('X', digit)))
      : [Number(long) * 10 ** Number(exponent)];
  const [firstYear, lastYear] = [Math.min(...years), Math.max(...years)];
  if (!Number.isSafeInteger(firstYear)) return undefined;
  // The year 0 has no sign.
  return { firstYear: firstYear + 0, lastYear: lastYear + 0, month, day };
}

/** Returns true for an end that is certainly before its start. Unknown digits and seasons are given the benefit of the doubt. */
export function isReversed(start: DatePoint, end: DatePoint): boolean {
  if (start.firstYear !== end.lastYear) return start.firstYear > end.lastYear;
  for (const part of ['month', 'day'] as const) {
    const [from, to] = [start[part], end[part]];
    if (!isCertain(from, part) || !isCertain(to, part)) return false;
    if (from !== to) return from > to;
  }
  return false;
}

function isCertain(digits: string | undefined, part: 'month' | 'day'): digits is string {
  return digits !== undefined && !digits.includes('X') && (part === 'day' || digits <= '12');
}
