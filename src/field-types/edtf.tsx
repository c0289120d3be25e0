import { NO_WORDS } from './define-field-type.ts';
import { dateInWords } from './display/date-in-words.ts';
import { datePartsOf } from './display/date-point.ts';
import { langWithin, PAGE_LANGUAGE } from './display/language.ts';
import { edtfProblem } from './edtf-syntax.ts';
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

/** The years that the index distinguishes. */
const MAX_YEAR = 999_999_999;

/**
 * Returns the first and the last year of an EDTF expression: `1908-03` has one, `190X` ten, an interval or a set those
 * from its first to its last. An open end ends at the known year, and an unknown year is in none. Undefined without a year.
 */
function yearsOf(edtf: string): Years | undefined {
  const points = (datePartsOf(edtf)?.points ?? []).filter((point) => point !== undefined);
  if (points.length === 0) return undefined;
  const from = Math.min(...points.map(({ firstYear }) => firstYear));
  const to = Math.max(...points.map(({ lastYear }) => lastYear));
  return { from: bounded(from), to: bounded(to) };
}

function bounded(year: number): number {
  return Math.max(-MAX_YEAR, Math.min(MAX_YEAR, year));
}
