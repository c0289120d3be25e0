import { describe, expect, it } from 'bun:test';
import type { JsonValue } from '../../../src/base/json.ts';
import { answered, define, lines, parsed } from './definitions.ts';

const WRONG_TYPE = ['field_x.0.value: This value should be of the correct primitive type.'];
const NO_NUMBERS: JsonValue[] = [
  'x',
  'NaN',
  'Infinity',
  '0x10',
  '1_000',
  '1,5',
  '5 5',
  '--1',
  [1],
  { a: 1 },
  true,
  '1e',
];

/** One row each: a list in a table would be taken for a row. */
const rows = (...values: JsonValue[]): [JsonValue][] => values.map((value) => [value]);

describe('integer', () => {
  const definition = define('integer', { label: 'Weight', size: 'normal' });

  it.each([
    [5, 5],
    ['5', 5],
    [' 5 ', 5],
    ['-5', -5],
    ['+5', 5],
    ['007', 7],
    [0, 0],
    ['-0', 0],
    [-0, 0],
    [2_147_483_647, 2_147_483_647],
    ['-2147483648', -2_147_483_648],
  ])('reads %j as %j', (value, expected) => {
    expect(parsed({ value }, definition)).toEqual([{ value: expected }]);
    expect(lines({ value }, definition)).toEqual([]);
  });

  it.each(rows(...NO_NUMBERS, 1.5, '1.5', Number.POSITIVE_INFINITY, '5e3'))('reports the invalid value %j', (value) => {
    expect(parsed({ value }, definition)).toEqual([{ value }]);
    expect(lines({ value }, definition)).toEqual(WRONG_TYPE);
  });

  it.each([[null], ['']])('drops %j', (value) => {
    expect(parsed({ value }, definition)).toEqual([]);
  });

  it.each<[JsonValue, Parameters<typeof define>[1], string]>([
    [2_147_483_648, {}, 'the value may be no greater than 2147483647.'],
    ['-2147483649', {}, 'the value may be no less than -2147483648.'],
    [4_294_967_296, { unsigned: true }, 'the value may be no greater than 4294967295.'],
    [-1, { unsigned: true }, 'The integer must be larger or equal to 0.'],
    [-1, { unsigned: true, size: 'big' }, 'The integer must be larger or equal to 0.'],
    ['9007199254740993', { size: 'big' }, 'the value may be no greater than 9007199254740991.'],
    [1e300, { size: 'big' }, 'the value may be no greater than 9007199254740991.'],
    [0, { min: 1 }, 'the value may be no less than 1.'],
    [11, { max: 10 }, 'the value may be no greater than 10.'],
  ])('reports %j with %j: %s', (value, settings, message) => {
    const shown = lines({ value }, define('integer', { label: 'Weight', ...settings }));
    expect(shown).toEqual([`field_x.0.value: Weight: ${message}`]);
  });

  it('rejects a number of a million digits', () => {
    expect(lines({ value: '9'.repeat(1_000_000) }, define('integer', { size: 'big' }))).toEqual([
      'field_x.0.value: X: the value may be no greater than 9007199254740991.',
    ]);
  });

  it('keeps exact integers up to 9007199254740991 in a big field', () => {
    const big = define('integer', { size: 'big' });
    expect(answered({ value: '9007199254740991' }, big)).toEqual([{ value: 9_007_199_254_740_991 }]);
    expect(lines({ value: 9_007_199_254_740_991 }, big)).toEqual([]);
  });
});

describe('decimal', () => {
  const definition = define('decimal');

  it.each([
    ['1.5', '1.5'],
    [' 1.50 ', '1.50'],
    [1.5, '1.5'],
    [-3, '-3'],
    ['.5', '.5'],
    ['0.10000000000000000000001', '0.10000000000000000000001'],
  ])('keeps the digits of %j', (value, expected) => {
    expect(answered({ value }, definition)).toEqual([{ value: expected }]);
    expect(lines({ value }, definition)).toEqual([]);
  });

  it.each(rows(...NO_NUMBERS, '1e5', 1e300, '.', '1'.repeat(65)))('reports the invalid value %j', (value) => {
    expect(lines({ value }, definition)).toEqual(WRONG_TYPE);
  });

  it('reports values beyond its limits', () => {
    expect(lines('1.51', define('decimal', { max: 1.5 }))).toEqual([
      'field_x.0.value: X: the value may be no greater than 1.5.',
    ]);
  });
});

describe('float', () => {
  const definition = define('float');

  it.each([
    ['49.1', 49.1],
    [1.5, 1.5],
    ['1e3', 1000],
    ['-.5', -0.5],
    [-0, 0],
  ])('reads %j as %j', (value, expected) => {
    expect(answered({ value }, definition)).toEqual([{ value: expected }]);
    expect(lines({ value }, definition)).toEqual([]);
  });

  it.each(rows(...NO_NUMBERS, '1e999', Number.POSITIVE_INFINITY))('reports the invalid value %j', (value) => {
    expect(lines({ value }, definition)).toEqual(WRONG_TYPE);
  });

  it('reports values beyond its limits', () => {
    expect(lines(0.5, define('float', { min: 1 }))).toEqual(['field_x.0.value: X: the value may be no less than 1.']);
  });
});

describe('boolean', () => {
  const definition = define('boolean');

  it.each([
    [true, true],
    [1, true],
    ['1', true],
    ['true', true],
    ['True', true],
    [false, false],
    [0, false],
    ['0', false],
    ['false', false],
  ])('reads %j as %j', (value, expected) => {
    expect(parsed({ value }, definition)).toEqual([{ value: expected }]);
    expect(parsed(value, definition)).toEqual([{ value: expected }]);
    expect(lines({ value }, definition)).toEqual([]);
  });

  it.each(rows('x', 'yes', 'on', 2, -1, 'truer', [], {}))('reports the invalid value %j', (value) => {
    expect(lines({ value }, definition)).toEqual(WRONG_TYPE);
  });
});
