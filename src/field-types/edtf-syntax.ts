import { parse } from 'edtf';
import { datePartsOf, isReversed, MAX_EDTF_CHARACTERS } from './display/date-point.ts';

/** Year, month and day, each with a qualifier on either side, as in `2004-?06-11~`; X stands for an unknown digit. */
const PARTS = /^[?~%]?(-?[\dX]{4})[?~%]?(?:-[?~%]?([\dX]{2})[?~%]?(?:-[?~%]?([\dX]{2})[?~%]?)?)?$/;
const LONG_YEAR = /^(Y-?\d+(?:E\d+)?(?:S\d)?|-?\d{4}S\d)[?~%]?$/;
const SHORT_YEAR = /^[?~%]?-?[\dX]{1,3}(?:$|[-?~%])/;
const UNMARKED_LONG_YEAR = /^[?~%]?-?[\dX]{5,}(?:$|[-?~%])/;
const DATE_TIME = /^-?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d(?::?\d\d)?)?$/;
const SEASON = /^(?:2[1-9]|3\d|4[01])$/;
const KNOWN_PARTS = new Map<string, boolean>();

/**
 * Returns the problem of an EDTF expression as a sentence, or undefined for a valid one (Extended Date/Time Format, levels 0
 * to 2, 2019). As in Islandora, a day may be 1 to 31 in every month. Intervals and sets cannot include times. The end of a
 * range is not before its start.
 */
export function edtfProblem(text: string): string | undefined {
  if (text.length > MAX_EDTF_CHARACTERS) return `It has more than ${MAX_EDTF_CHARACTERS} characters.`;
  if (/[[\]{}]/.test(text)) return setProblem(text);
  if (text.includes('/')) return intervalProblem(text);
  return text.includes('T') ? dateTimeProblem(text) : dateProblem(text);
}

function setProblem(text: string): string | undefined {
  const [, inside] = /^\[([^[\]{}]+)\]$/.exec(text) ?? /^\{([^[\]{}]+)\}$/.exec(text) ?? [];
  if (inside === undefined) return 'A set must be in [ ] or { } and must not be empty.';
  const members = inside.split(',').map((member) => member.trim());
  for (const [index, member] of members.entries()) {
    const ends = member.split('..');
    if (ends.length > 2 || ends.every((end) => end === '')) return `Could not parse the member '${member}' of the set.`;
    if (ends[0] === '' && ends.length === 2 && index > 0) return 'Only the first member of a set may begin with "..".';
    if (ends[1] === '' && index < members.length - 1) return 'Only the last member of a set may end in "..".';
    const problem = firstProblem(ends) ?? orderProblem(member);
    if (problem) return problem;
  }
  return undefined;
}

function intervalProblem(text: string): string | undefined {
  const ends = text.split('/');
  if (ends.length > 2) return 'An interval has one start and one end.';
  if (ends.every((end) => end === '' || end === '..')) return 'An interval needs a start or an end.';
  return firstProblem(ends.filter((end) => end !== '..')) ?? orderProblem(text);
}

/** Returns the problem of a range that ends before it starts. */
function orderProblem(range: string): string | undefined {
  const { points = [], isRange = false } = datePartsOf(range) ?? {};
  const [start, end] = points;
  return isRange && start && end && isReversed(start, end) ? `The end of '${range}' is before its start.` : undefined;
}

function firstProblem(dates: readonly string[]): string | undefined {
  for (const date of dates) {
    if (date === '') continue;
    const problem = date.includes('T') ? 'Date intervals and sets cannot include times.' : dateProblem(date);
    if (problem) return problem;
  }
  return undefined;
}

function dateTimeProblem(text: string): string | undefined {
  const [date = '', time] = text.split('T');
  const problem = dateProblem(date);
  if (problem) return problem;
  if (time === '') return 'No time follows the time separator T.';
  const isValid = DATE_TIME.test(text) && isParsed(`0001-01-01T${time}`);
  return isValid ? undefined : `The date/time '${text}' is invalid.`;
}

function dateProblem(date: string): string | undefined {
  const [, longYear] = LONG_YEAR.exec(date) ?? [];
  if (longYear !== undefined && isParsed(longYear)) return undefined;
  if (SHORT_YEAR.test(date)) return 'Years must be at least 4 characters long.';
  if (UNMARKED_LONG_YEAR.test(date)) return "Years longer than 4 digits must be prefixed with a 'Y'.";
  const [, year, month, day] = PARTS.exec(date) ?? [];
  if (year === undefined || year === '-0000') return `Could not parse the date '${date}'.`;
  if (month === undefined || (day === undefined && SEASON.test(month))) return undefined;
  if (SEASON.test(month) || !isTwoDigits('0001-', month)) return `Provided month value '${month}' is not valid.`;
  if (day === undefined || isTwoDigits('0001-01-', day)) return undefined;
  return `Provided day value '${day}' is not valid.`;
}

/** Returns true for a valid two-digit month or day. Caches the results, which makes sets fast. */
function isTwoDigits(before: '0001-' | '0001-01-', digits: string): boolean {
  const text = before + digits;
  const known = KNOWN_PARTS.get(text);
  if (known !== undefined) return known;
  const isValid = isParsed(text);
  KNOWN_PARTS.set(text, isValid);
  return isValid;
}

function isParsed(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    // The parser reports invalid text only by errors.
    return false;
  }
}
