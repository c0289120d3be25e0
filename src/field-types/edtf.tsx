import { NO_WORDS } from './define-field-type.ts';
import { dateInWords } from './display/date-in-words.ts';
import { langWithin, PAGE_LANGUAGE } from './display/language.ts';
import { edtfProblem, MAX_EDTF_CHARACTERS } from './edtf-syntax.ts';
import type { FieldType, Years } from './field-type.ts';
import { datePrecision, firstDate } from './first-date.ts';
import { textOf } from './page-view.ts';
import { literalsOf, plainLiteral, type RdfRequest, type RdfValue, typedLiteral } from './rdf.ts';
import { isCalendarDate } from './readable.tsx';
import { string } from './string.tsx';

/** A date in the Extended Date/Time Format, stored as submitted. */
export const edtf: FieldType = {
  ...string,
  defaults: () => ({}),
  mayBeAddress: false,
  hasYears: true,
  violations: (item, definition, context) => {
    const ofText = string.violations(item, definition, context);
    if (ofText.length > 0 || typeof item.value !== 'string') return ofText;
    const problem = edtfProblem(item.value);
    return problem === undefined ? [] : [{ path: '', message: `${item.value} is not valid EDTF: ${problem}` }];
  },
  effort: 'dates',
  rdf: ({ value }, request) =>
    literalsOf(value, { ...request, callback: undefined }, (date) => dates(String(date), request)),
  show: ({ value }, _definition, view) => {
    const date = textOf(value);
    if (date === undefined) return undefined;
    const words = dateInWords(date);
    const lang = words === date ? {} : langWithin(PAGE_LANGUAGE, view.language);
    if (isCalendarDate(date))
      return (
        <time datetime={date} {...lang}>
          {words}
        </time>
      );
    return words === date ? date : <span {...lang}>{words}</span>;
  },
  ...NO_WORDS,
  years: ({ value }) => (typeof value === 'string' ? yearsOf(value) : undefined),
  readCell: (text) => ({ raw: { value: text.trim() } }),
  controls: () => [
    {
      kind: 'text',
      member: 'value',
      isShort: true,
      meaning: 'edtf',
      help: 'Such as 1929, 1929-05-03, 1929~ (about) or 1920/1930',
    },
  ],
  module: 'controlled_access_terms',
  widget: 'edtf_default',
};

/** Returns two literals: the date, and its first day, month or year if that exists in the calendar (model, "extra_rules"). */
function dates(date: string, { callback }: RdfRequest): RdfValue[] {
  const first = firstDate(date);
  const plain = callback === 'edtf' ? first : date;
  if (plain === undefined) return [];
  const precision = first === undefined ? undefined : datePrecision(first);
  if (first === undefined || precision === undefined) return [plainLiteral(plain)];
  return [plainLiteral(plain), typedLiteral(first, precision)];
}

/** The year at the beginning of a date: four digits, some of them possibly unknown, or a long one with `Y`. */
const YEAR = /^[?~%]?(?:(-?)([\dX]{4})(?![\dX])|Y(-?\d{1,9})(?:E(\d))?)/;
/** The years that the index distinguishes. */
const MAX_YEAR = 999_999_999;

/**
 * Returns the first and the last year of an EDTF expression: `1908-03` has one, `190X` ten, an interval or a set those
 * from its first to its last. An open end ends at the known year. Undefined without a year.
 */
function yearsOf(edtf: string): Years | undefined {
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
