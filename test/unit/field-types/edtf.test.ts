import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { edtfProblem } from '../../../src/field-types/edtf-syntax.ts';
import { define, lines, parsed } from './definitions.ts';

/** One that the parser is asked about each time. */
const SHORT_DATE = 'Y10000';
const MAX_SLOWER = 2;

const VALID = {
  dates: ['1985', '-1985', '0000', '1985-04', '1985-04-12', '2004-02-30', '2004-02-31', '2004-04-31'],
  'date-times': [
    '1985-04-12T23:20:30',
    '1985-04-12T23:20:30Z',
    '1985-04-12T23:20:30-04',
    '1985-04-12T23:20:30+04:30',
    '1900-01-02T01:22:33+05:00',
    '2004-02-31T00:00:00Z',
  ],
  seasons: ['2001-21', '2001-24', '2001-25', '2001-33', '2001-41', '2001-21~', '1900-31'],
  qualifiers: [
    '1984?',
    '2004-06~',
    '2004-06-11%',
    '2004?-06-11',
    '?2004-06-~11',
    '2004-06-~01',
    '2004-?06-11',
    '2004-%06',
    '190X~',
    '1900-XX?',
  ],
  'unknown digits': [
    '201X',
    '20XX',
    '2XXX',
    'XXXX',
    '-1XXX',
    '2004-XX',
    '1985-04-XX',
    '1985-XX-XX',
    '156X-12-25',
    '1984-1X',
    '1984-02-3X',
    'XXXX-12-XX',
    '1XXX-XX',
  ],
  'long years': ['Y170000002', 'Y-170000002', 'Y-17E7', 'Y17E8', 'Y3388E2S3', '1950S2', 'Y171010000S3', 'Y20000?'],
  intervals: [
    '1964/2008',
    '2004-06/2006-08',
    '2004-02-01/2005-02-08',
    '2004-02-01/2005',
    '1900/',
    '/1900',
    '1900/..',
    '../1900',
    '1985-04-12/..',
    '1984?/2004~',
    '2004-06-~01/2004-06-~20',
    '2004-06-XX/2004-07-03',
    '2001-21/2002-22',
    'Y-20000/Y-10000',
    '1985/1985-01',
    '1985-12/198X',
    '2001-24/2001-21',
    'XXXX/1960',
  ],
  sets: [
    '[1667,1668,1670..1672]',
    '{1667,1668, 1670..1672}',
    '[..1760-12-03]',
    '[1760-12..]',
    '[1760-01,1760-02,1760-12..]',
    '{1960,1961-12}',
    '{..1984}',
    '[1667?,1668]',
    '{2001-21,2002}',
    '[1667]',
  ],
};

describe.each(Object.entries(VALID))('valid EDTF %s', (_kind, values) => {
  it.each(values)('includes %s', (value) => {
    expect(lines({ value }, define('edtf'))).toEqual([]);
    expect(parsed({ value }, define('edtf'))).toEqual([{ value }]);
  });
});

it.each([
  ['199u', "Could not parse the date '199u'."],
  ['1900/unknown', "Could not parse the date 'unknown'."],
  ['2004/open', "Could not parse the date 'open'."],
  ['-0000', "Could not parse the date '-0000'."],
  ['1900-', "Could not parse the date '1900-'."],
  ['1900-1', "Could not parse the date '1900-1'."],
  ['1900-01-1', "Could not parse the date '1900-01-1'."],
  ['1900-01-01-01', "Could not parse the date '1900-01-01-01'."],
  [' 1900', "Could not parse the date ' 1900'."],
  ['1900\n', "Could not parse the date '1900\n'."],
  ['..', "Could not parse the date '..'."],
  ['Y1900', "Could not parse the date 'Y1900'."],
  ['c. 1900', "Could not parse the date 'c. 1900'."],
  ['190', 'Years must be at least 4 characters long.'],
  ['19', 'Years must be at least 4 characters long.'],
  ['190-99-52', 'Years must be at least 4 characters long.'],
  ['12/24', 'Years must be at least 4 characters long.'],
  ['19000', "Years longer than 4 digits must be prefixed with a 'Y'."],
  ['1900-00', "Provided month value '00' is not valid."],
  ['1900-13', "Provided month value '13' is not valid."],
  ['1900-20', "Provided month value '20' is not valid."],
  ['1900-42', "Provided month value '42' is not valid."],
  ['1900-91-01', "Provided month value '91' is not valid."],
  ['1900-3X', "Provided month value '3X' is not valid."],
  ['1900-31-01', "Provided month value '31' is not valid."],
  ['190X-5X-8X', "Provided month value '5X' is not valid."],
  ['1960-01-00', "Provided day value '00' is not valid."],
  ['1960-01-32', "Provided day value '32' is not valid."],
  ['1960-01-4X', "Provided day value '4X' is not valid."],
  ['1900-01-02T', 'No time follows the time separator T.'],
  ['1900-01-02T1:1:1', "The date/time '1900-01-02T1:1:1' is invalid."],
  ['1900-01-02T01:22', "The date/time '1900-01-02T01:22' is invalid."],
  ['1900-01-02T25:22:33', "The date/time '1900-01-02T25:22:33' is invalid."],
  ['1900-01-02T01:22:33+', "The date/time '1900-01-02T01:22:33+' is invalid."],
  ['1900-01-02T01:22:33.5Z', "The date/time '1900-01-02T01:22:33.5Z' is invalid."],
  ['190X-01-02T01:22:33Z', "The date/time '190X-01-02T01:22:33Z' is invalid."],
  ['1900-31-02T01:22:33Z', "Provided month value '31' is not valid."],
  ['2004-01-01T10:10:10Z/2005', 'Date intervals and sets cannot include times.'],
  ['1900/1910/1920', 'An interval has one start and one end.'],
  ['/', 'An interval needs a start or an end.'],
  ['../..', 'An interval needs a start or an end.'],
  ['1985/1964', "The end of '1985/1964' is before its start."],
  ['2004-06/2004-05', "The end of '2004-06/2004-05' is before its start."],
  ['2004-06-11~/2004-06-10', "The end of '2004-06-11~/2004-06-10' is before its start."],
  ['197X/1969', "The end of '197X/1969' is before its start."],
  ['-0044/-0100', "The end of '-0044/-0100' is before its start."],
  ['[1970..1960]', "The end of '1970..1960' is before its start."],
  ['[]', 'A set must be in [ ] or { } and must not be empty.'],
  ['[1900}', 'A set must be in [ ] or { } and must not be empty.'],
  ['[1900', 'A set must be in [ ] or { } and must not be empty.'],
  ['{[1900]}', 'A set must be in [ ] or { } and must not be empty.'],
  ['[1667,]', "Could not parse the member '' of the set."],
  ['[..]', "Could not parse the member '..' of the set."],
  ['[1..2..3]', "Could not parse the member '1..2..3' of the set."],
  ['[1667,..1700]', 'Only the first member of a set may begin with "..".'],
  ['[1667..,1700]', 'Only the last member of a set may end in "..".'],
])('edtf reports for %j: %s', (value, reason) => {
  expect(lines({ value }, define('edtf'))).toEqual([`field_x.0: ${value} is not valid EDTF: ${reason}`]);
});

it('edtf reports only the length of a value that is too long', () => {
  const value = `[${'1900,'.repeat(30)}1900]`;
  expect(lines({ value }, define('edtf', { maxLength: 128 }))).toEqual([
    'field_x.0.value: X: may not be longer than 128 characters.',
  ]);
  expect(edtfProblem('1'.repeat(1001))).toBe('It has more than 1000 characters.');
});

it.each(
  [
    `{${'1900-01-01,'.repeat(90)}1900}`,
    `{${'Y10000,'.repeat(140)}1900}`,
    `[${'?XX00-?0X~-?3X%,'.repeat(60)}1900]`,
    `Y${'1'.repeat(999)}`,
    `Y1E${'1'.repeat(997)}`,
    '['.repeat(1000),
    '../'.repeat(333),
    `1985-04-12T${'2'.repeat(980)}`,
  ].map((value) => [value.slice(0, 24), value] as const),
)('edtf checks %s… at most twice as slowly as short dates of the same length', (_start, value) => {
  const time = (judge: () => unknown) => {
    const start = performance.now();
    judge();
    return performance.now() - start;
  };
  const judgeShortDates = () => {
    for (let length = 0; length < value.length; length += SHORT_DATE.length) edtfProblem(SHORT_DATE);
  };
  // Other processes may slow down some rounds, but hardly all.
  const isQuick = () => time(() => edtfProblem(value)) < MAX_SLOWER * time(judgeShortDates);
  expect(Array.from({ length: 5 }).some(isQuick)).toBe(true);
});

it('edtf checks any text of its alphabet without throwing', () => {
  const text = fc.string({ unit: fc.constantFrom(...'0129XYESTZ?~%-+:./,[]{} '), maxLength: 24 });
  fc.assert(
    fc.property(text, (value) => {
      expect(['string', 'undefined']).toContain(typeof edtfProblem(value));
    }),
    { numRuns: 500 },
  );
});
