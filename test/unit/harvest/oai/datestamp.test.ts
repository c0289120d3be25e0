import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { isoTime } from '../../../../src/base/iso-time.ts';
import { parseDatestamp } from '../../../../src/harvest/oai/datestamp.ts';

describe('a datestamp', () => {
  it('is read as it was written, as a second or a day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
        const text = isoTime(seconds);
        expect(parseDatestamp(text)).toEqual({ first: seconds, last: seconds, granularity: 'second' });
        const day = parseDatestamp(text.slice(0, 10));
        expect(day?.granularity).toBe('day');
        expect([day?.first ?? 0, day?.last ?? 0].map(isoTime)).toEqual([
          `${text.slice(0, 10)}T00:00:00Z`,
          `${text.slice(0, 10)}T23:59:59Z`,
        ]);
      }),
    );
  });

  it('may be before 1970 or a leap day', () => {
    expect(parseDatestamp('1969-12-31')?.first).toBe(-86_400);
    expect(parseDatestamp('2024-02-29')).toBeDefined();
  });

  it('is undefined for any other text', () => {
    for (const text of [
      '',
      '2025',
      '2025-1-1',
      '2025-13-01',
      '2025-02-30',
      '2025-01-01T25:00:00Z',
      '2025-01-01 00:00:00Z',
    ])
      expect(parseDatestamp(text)).toBeUndefined();
  });
});
