import { type DatePoint, datePartsOf } from './display/date-point.ts';
import { yearText } from './first-date.ts';

/**
 * Returns an EDTF expression as a date or a range of dates without qualifiers (RKMS-ISO8601, as in DataCite): `1964/2008`,
 * `/1960`, `1920/1929` for `192X`. A set is the range from its first to its last date. Empty without a known year.
 */
export function dateRange(edtf: string): string {
  const { points = [], isRange = false } = datePartsOf(edtf) ?? {};
  if (points.length === 0) return '';
  const [first, last] = [points[0], points.at(-1)];
  const [from, to] = [first && dateText(first, first.firstYear), last && dateText(last, last.lastYear)];
  return isRange || from !== to ? `${from ?? ''}/${to ?? ''}` : (from ?? '');
}

/** Returns a date in a year, with a month and a day if they are certain. Seasons and quarters have no form in ISO 8601. */
function dateText({ month, day }: DatePoint, year: number): string {
  if (month === undefined || month.includes('X') || month > '12') return yearText(year);
  return [yearText(year), month, ...(day === undefined || day.includes('X') ? [] : [day])].join('-');
}
