import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { edtfProblem } from '../../../src/field-types/edtf-syntax.ts';
import { type DatePrecision, datePrecision, firstDate } from '../../../src/field-types/first-date.ts';

const FIRST: [kind: string, edtf: string, first: string | undefined, precision: DatePrecision | undefined][] = [
  ['a year', '1985', '1985', 'gYear'],
  ['a month', '1985-04', '1985-04', 'gYearMonth'],
  ['a day', '1985-04-12', '1985-04-12', 'date'],
  ['a moment', '1985-04-12T23:20:30Z', '1985-04-12', 'date'],
  ['a year before Christ', '-0044', '-0044', 'gYear'],
  ['a month before Christ', '-0044-03', '-0044-03', 'gYearMonth'],
  ['the year zero', '0000', '0000', 'gYear'],
  ['qualifiers behind', '2004-06-11%', '2004-06-11', 'date'],
  ['qualifiers between', '?2004-06-~11', '2004-06-11', 'date'],
  ['an interval', '1964/2008', '1964', 'gYear'],
  ['an interval without an end', '1985-04/..', '1985-04', 'gYearMonth'],
  ['an interval without a start', '../1985', undefined, undefined],
  ['an interval with an unknown start', '/1985', undefined, undefined],
  ['one of a set', '[1667, 1668, 1670..1672]', '1667', 'gYear'],
  ['all of a set', '{1960-02..1961}', '1960-02', 'gYearMonth'],
  ['a set without a start', '[..1760-12-03]', undefined, undefined],
  ['an unknown year of a decade', '196X', '1960', 'gYear'],
  ['an unknown year', 'XXXX', undefined, undefined],
  ['a day in an unknown year', 'XXXX-12-25', undefined, undefined],
  ['a set of an unknown year and another', '[XXXX,1960]', undefined, undefined],
  ['a millennium before Christ', '-1XXX', '-1999', 'gYear'],
  ['a century before Christ', '-19XX', '-1999', 'gYear'],
  ['a long year of five digits', 'Y10000', '10000', 'gYear'],
  ['an unknown month', '2004-XX', '2004-01', 'gYearMonth'],
  ['an unknown day', '2004-06-XX', '2004-06-01', 'date'],
  ['a partly unknown month', '2004-1X', '2004-10', 'gYearMonth'],
  ['a month that is unknown below ten', '2004-0X', '2004-01', 'gYearMonth'],
  ['spring', '2001-21', '2001-03', 'gYearMonth'],
  ['winter', '2001-24~', '2001-12', 'gYearMonth'],
  ['spring in the south', '2001-29', '2001-09', 'gYearMonth'],
  ['the last quarter', '2001-36', '2001-10', 'gYearMonth'],
  ['the second half', '2001-41', '2001-07', 'gYearMonth'],
  ['a long year', 'Y170000002', '170000002', 'gYear'],
  ['a long year before Christ', 'Y-17E7', '-170000000', 'gYear'],
  ['a year of significant digits', '1950S2', '1950', 'gYear'],
  ['a year with needless zeros', 'Y0012345', '12345', 'gYear'],
  ['a year that is too long to write', 'Y1E99', undefined, undefined],
  ['a day that does not exist', '2004-02-31', '2004-02-31', undefined],
  ['a leap day', '2000-02-29', '2000-02-29', 'date'],
  ['a leap day in a common year', '1900-02-29', '1900-02-29', undefined],
  ['text without a date', 'before the war', undefined, undefined],
  ['nothing', '', undefined, undefined],
  ['very long text', '1'.repeat(2000), undefined, undefined],
];

describe('firstDate', () => {
  it.each(FIRST)('returns the start of %s: %s', (_kind, edtf, first, precision) => {
    expect({ first: firstDate(edtf), precision: first && datePrecision(first) }).toEqual({ first, precision });
  });

  it('returns a date with a precision, or undefined, for any text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[-0-9XYES[\]{}.,/T?~% ]{0,24}$/), (text) => {
        const first = firstDate(text);
        if (first === undefined) return;
        expect(first).toMatch(/^-?\d{4,}(-\d\d){0,2}$/);
        // What is its own first date is plain EDTF, of which nothing is left to be worked out.
        if (/^\d{4}(-|$)/.test(first) && edtfProblem(first) === undefined) expect(firstDate(first)).toBe(first);
      }),
    );
  });
});
