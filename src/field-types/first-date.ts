import { type DatePoint, datePartsOf } from './display/date-point.ts';

const PLAIN = /^\d{4}(?:-\d\d){0,2}$/;
/** The first month of a season, quarter, quadrimester or half of the year (EDTF level 2); 21 to 24 as in the northern hemisphere. */
const FIRST_MONTHS: Readonly<Record<string, string>> = {
  ...{ '21': '03', '22': '06', '23': '09', '24': '12' },
  ...{ '25': '03', '26': '06', '27': '09', '28': '12' },
  ...{ '29': '09', '30': '12', '31': '03', '32': '06' },
  ...{ '33': '01', '34': '04', '35': '07', '36': '10' },
  ...{ '37': '01', '38': '05', '39': '09' },
  ...{ '40': '01', '41': '07' },
};

/** The precision of a date, as a type of XML Schema. */
export type DatePrecision = 'gYear' | 'gYearMonth' | 'date';

/**
 * Returns the earliest date of an EDTF expression, `YYYY`, `YYYY-MM` or `YYYY-MM-DD`: the first of a set or an interval, with
 * unknown digits at their earliest, without qualifiers and time. Undefined without a first date, as in `../2004`, and for one
 * in an unknown year.
 */
export function firstDate(edtf: string): string | undefined {
  if (PLAIN.test(edtf)) return withFirstMonth(edtf);
  const first = datePartsOf(edtf)?.points[0];
  return first && earliest(first);
}

/** Returns the precision of such a date. Undefined for a date that is valid EDTF but not in the calendar, such as 2004-02-31. */
export function datePrecision(date: string): DatePrecision | undefined {
  const [, month, day] = date.slice(1).split('-');
  if (month === undefined) return 'gYear';
  if (day === undefined) return isWithin(month, 12) ? 'gYearMonth' : undefined;
  const year = Number(date.slice(0, date.indexOf('-', 1)));
  return isWithin(month, 12) && isWithin(day, daysOf(year, Number(month))) ? 'date' : undefined;
}

function earliest({ firstYear, month, day }: DatePoint): string {
  const parts = [yearText(firstYear), month && lowest(month), day && lowest(day)];
  return withFirstMonth(parts.filter((part) => part !== undefined).join('-'));
}

/** Returns a year with at least four digits, without leading zeros beyond that (XML Schema, gYear). */
export function yearText(year: number): string {
  const digits = String(Math.abs(year)).padStart(4, '0');
  return year < 0 ? `-${digits}` : digits;
}

function lowest(part: string): string {
  const digits = part.replaceAll('X', '0');
  return digits === '00' ? '01' : digits;
}

function withFirstMonth(date: string): string {
  const at = date.indexOf('-', 1) + 1;
  const month = at > 0 ? FIRST_MONTHS[date.slice(at, at + 2)] : undefined;
  return month === undefined ? date : date.slice(0, at) + month + date.slice(at + 2);
}

function isWithin(part: string, highest: number): boolean {
  const number = Number(part);
  return number >= 1 && number <= highest;
}

/** Returns the number of days of a month. The calendar repeats every 400 years, and 0 is a leap year. */
export function daysOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}
