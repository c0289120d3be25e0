import { describe, expect, it } from 'bun:test';
import { dateRange } from '../../../src/field-types/date-range.ts';
import { edtf } from '../../../src/field-types/edtf.tsx';

describe('dateRange', () => {
  it.each([
    ['1908-05-12', '1908-05-12'],
    ['1910~', '1910'],
    ['1964/2008', '1964/2008'],
    ['2004-06-11%/2004-06', '2004-06-11/2004-06'],
    ['/1960', '/1960'],
    ['../1960', '/1960'],
    ['1960/..', '1960/'],
    ['[..1984]', '/1984'],
    ['{1960,1961-12}', '1960/1961-12'],
    ['192X', '1920/1929'],
    ['-19XX', '-1999/-1900'],
    ['1908-XX', '1908'],
    ['2001-21', '2001'],
    ['1985-04-12T23:20:30Z', '1985-04-12'],
    ['Y-17E7', '-170000000'],
    ['[XXXX,1960]', '/1960'],
    ['XXXX-12-25', ''],
    ['before the war', ''],
  ])('writes %s as %s', (text, range) => expect(dateRange(text)).toBe(range));
});

describe('the years of a date', () => {
  it.each([
    ['1908-03', 1908, 1908],
    ['190X', 1900, 1909],
    ['-1XXX', -1999, -1000],
    ['[XXXX,1960]', 1960, 1960],
    ['{1960,1950,1961-12}', 1950, 1961],
    ['../1960', 1960, 1960],
    ['Y10000', 10_000, 10_000],
    ['Y-17E9', -999_999_999, -999_999_999],
  ])('of %s are %d to %d', (value, from, to) => expect(edtf.years({ value })).toEqual({ from, to }));

  it.each(['XXXX', 'XXXX-12-25', 'yesterday'])('are none for %s', (value) =>
    expect(edtf.years({ value })).toBeUndefined(),
  );
});
