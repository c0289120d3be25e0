import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { epochSeconds, isoSeconds } from '../../../src/field-types/epoch-seconds.ts';
import { dateItem, isBadDateMessage } from '../../../src/field-types/moment.tsx';
import { answered, define, lines, parsed } from './definitions.ts';

const FORMAT = 'Y-m-d\\TH:i:sP';
const STORED = { value: '2019-03-14T19:05:24+00:00', format: FORMAT };
const ALL = '"U" (UNIX timestamp), "Y-m-d\\TH:i:sO" (ISO 8601), "Y-m-d\\TH:i:sP" (RFC 3339)';

describe.each(['created', 'changed', 'timestamp'] as const)('%s', (type) => {
  const definition = define(type);

  it.each([
    [{ value: 1_552_590_324 }],
    [{ value: '1552590324' }],
    [{ value: '1552590324', format: 'U' }],
    [{ value: 1_552_590_324, format: 'U' }],
    [{ value: '2019-03-14T19:05:24+00:00' }],
    [{ value: '2019-03-14T19:05:24+0000' }],
    [{ value: '2019-03-14T19:05:24Z' }],
    [{ value: '2019-03-14T14:05:24-05:00', format: FORMAT }],
    [{ value: '2019-03-15T00:35:24+0530', format: 'Y-m-d\\TH:i:sO' }],
    [STORED],
    [1_552_590_324],
    ['2019-03-14T19:05:24+00:00'],
  ])('reads %j', (raw) => {
    expect(parsed(raw, definition)).toEqual([STORED]);
    expect(answered(raw, definition)).toEqual([STORED]);
    expect(lines(raw, definition)).toEqual([]);
  });

  it.each([
    ['x'],
    ['2019-03-14'],
    ['2019-03-14T19:05:24'],
    ['2019-03-14T19:05:24.000Z'],
    ['2019-02-30T00:00:00Z'],
    ['2019-13-01T00:00:00Z'],
    ['2019-01-01T24:00:00Z'],
    ['2019-01-01T00:00:60Z'],
    ['2019-01-01T00:00:00+24:00'],
    [' 1552590324'],
    ['253402300800'],
    ['0000-01-01T00:00:00+01:00'],
  ])('rejects the date %j, and lists the accepted formats', (value) => {
    const message = `The specified date "${value}" is not in an accepted format: ${ALL}.`;
    expect(parsed({ value }, definition)).toEqual([{ value }]);
    expect(lines({ value }, definition)).toEqual([`field_x.0.value: ${message}`]);
    expect(isBadDateMessage(message)).toBe(true);
  });

  it.each([
    [STORED.value, 'U', '"U" (UNIX timestamp)'],
    ['1552590324', FORMAT, '"Y-m-d\\TH:i:sP" (RFC 3339)'],
    [1_552_590_324, 'Y-m-d\\TH:i:sO', '"Y-m-d\\TH:i:sO" (ISO 8601)'],
    [STORED.value, 'd.m.Y', ALL],
  ])('rejects %j in another format than the item states: %s', (value, format, accepted) => {
    expect(lines({ value, format }, definition)).toEqual([
      `field_x.0.value: The specified date "${value}" is not in an accepted format: ${accepted}.`,
    ]);
  });

  it('shortens a long value in its message', () => {
    const [line] = lines({ value: 'x'.repeat(1_000_000) }, definition);
    expect(line).toContain(`"${'x'.repeat(100)}…"`);
  });

  it.each([[true], [{}], [[1]]])('reports %j, which has the wrong type', (value) => {
    expect(lines({ value }, definition)).toEqual([
      'field_x.0.value: This value should be of the correct primitive type.',
    ]);
  });

  it.each([[null], ['']])('drops %j', (value) => {
    expect(parsed({ value }, definition)).toEqual([]);
  });
});

it('isBadDateMessage rejects other messages', () => {
  expect(isBadDateMessage('This value should not be null.')).toBe(false);
});

it('every second of the years 0 to 9999 is written and read back', () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }), (seconds) => {
      expect(epochSeconds(isoSeconds(seconds))).toBe(seconds);
      expect(parsed(dateItem(seconds), define('created'))).toEqual([dateItem(seconds)]);
    }),
  );
});

it.each([253_402_300_800, -62_167_219_201, 1.5, Number.NaN])('isoSeconds rejects %d', (seconds) => {
  expect(() => isoSeconds(seconds)).toThrow(RangeError);
});

it('epochSeconds rejects text that is not a date', () => {
  expect(() => epochSeconds('yesterday')).toThrow('"yesterday" is not a date like 2019-03-14T19:05:24+00:00');
});
