/** A date with the precision that is known. */
export interface DatePoint {
  /** Negative before the year 1; the year 0 is 1 BC. */
  readonly year: number;
  /** 10 for a decade (`192X`), 100 for a century (`19XX`). */
  readonly years: 1 | 10 | 100;
  readonly month: number | undefined;
  readonly day: number | undefined;
  /** 1 to 4, from spring. */
  readonly season: number | undefined;
}

/** A date or a range of dates. A range with an unknown end has only the other. */
export interface CitationDate {
  readonly start: DatePoint | undefined;
  readonly end: DatePoint | undefined;
  readonly isRange: boolean;
  readonly isApproximate: boolean;
  readonly isUncertain: boolean;
}

const POINT = /^(?:Y(-?\d+)(?:E(\d))?|(-?[\dX]{4}))(?:S\d+)?(?:-([\dX]{2})(?:-([\dX]{2}))?)?$/;
const QUALIFIERS = /[?~%]/g;
/** The longest expression that is parsed: a field has at most 128 characters. */
const MAX_CHARACTERS = 1000;

/** Parses an EDTF expression for a citation. Undefined without any year. */
export function citationDate(edtf: string): CitationDate | undefined {
  if (edtf.length > MAX_CHARACTERS) return undefined;
  const ends = endsOf(edtf);
  const [start, end] = [pointOf(ends[0]), pointOf(ends.at(-1))];
  if (start === undefined && end === undefined) return undefined;
  return {
    start,
    end: ends.length > 1 ? end : undefined,
    isRange: ends.length > 1,
    isApproximate: /[~%]/.test(edtf),
    isUncertain: /[?%]/.test(edtf),
  };
}

/** Returns a date, or the first and the last date of an interval or a set. */
function endsOf(edtf: string): readonly string[] {
  if (edtf.includes('/')) return edtf.split('/');
  if (!/^[[{]/.test(edtf)) return [edtf];
  const members = edtf.slice(1, -1).split(/,|\.\./);
  return members.length === 1 ? members : [members[0] ?? '', members.at(-1) ?? ''];
}

function pointOf(text: string | undefined): DatePoint | undefined {
  const [date = ''] = (text ?? '').trim().replace(QUALIFIERS, '').split('T', 1);
  const [, long, exponent = '0', digits = '', month, day] = POINT.exec(date) ?? [];
  const unknown = /X*$/.exec(digits)?.[0].length ?? 0;
  if (long === undefined && (digits === '' || unknown > 2)) return undefined;
  const year = long === undefined ? Number(digits.replaceAll('X', '0')) : Number(long) * 10 ** Number(exponent);
  if (!Number.isSafeInteger(year)) return undefined;
  const monthNumber = numberOf(month);
  const isMonth = monthNumber !== undefined && monthNumber <= 12;
  return {
    year,
    years: unknown === 2 ? 100 : unknown === 1 ? 10 : 1,
    month: isMonth ? monthNumber : undefined,
    day: isMonth ? numberOf(day) : undefined,
    season: monthNumber === undefined || isMonth ? undefined : seasonOf(monthNumber),
  };
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined || digits.includes('X') ? undefined : Number(digits);
}

/** 21 to 24 are seasons, and 25 to 32 those of a hemisphere. Quarters and others have no word in citations. */
function seasonOf(code: number): number | undefined {
  return code >= 21 && code <= 32 ? ((code - 21) % 4) + 1 : undefined;
}

/** Returns the year in words: `1929`, `1920s`, `44 BC`. */
export function yearWords({ year, years }: DatePoint): string {
  if (years > 1) return `${year}s`;
  return year > 0 ? String(year) : `${1 - year} BC`;
}
