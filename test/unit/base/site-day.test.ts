import { describe, expect, it } from 'bun:test';
import { createSiteDays } from '../../../src/base/site-day.ts';

const at = (time: string) => Date.parse(time) / 1000;
const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString();

describe('the days of a site', () => {
  it.each([
    // The clock goes forward, and a day has 23 hours; back, and it has 25.
    ['Europe/Berlin', '2031-03-30', '2031-03-29T23:00:00Z', '2031-03-30T22:00:00Z'],
    ['Europe/Berlin', '2031-10-26', '2031-10-25T22:00:00Z', '2031-10-26T23:00:00Z'],
    // The clock goes forward at midnight: the day begins at one.
    ['America/Sao_Paulo', '2017-10-15', '2017-10-15T03:00:00Z', '2017-10-16T02:00:00Z'],
    // Half an hour.
    ['Australia/Lord_Howe', '2031-04-06', '2031-04-05T13:00:00Z', '2031-04-06T13:30:00Z'],
    // The date line moved, and 30 December was left out.
    ['Pacific/Apia', '2011-12-29', '2011-12-29T10:00:00Z', '2011-12-30T10:00:00Z'],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00Z', '2011-12-31T10:00:00Z'],
    ['UTC', '2028-02-29', '2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z'],
    ['UTC', '2100-02-28', '2100-02-28T00:00:00Z', '2100-03-01T00:00:00Z'],
    ['Asia/Kathmandu', '2031-01-01', '2030-12-31T18:15:00Z', '2031-01-01T18:15:00Z'],
    ['UTC', '9999-12-31', '9999-12-31T00:00:00Z', '+010000-01-01T00:00:00Z'],
  ])('in %s, %s begins at %s and ends at %s', (timeZone, day, begin, end) => {
    const days = createSiteDays(timeZone);
    expect(days.dayAt(at(begin) - 1) < day).toBe(true);
    expect(days.dayAt(at(begin))).toBe(day);
    expect(timeOf(days.nextDayAfter(at(begin)))).toBe(timeOf(at(end)));
    expect(days.dayAt(at(end) - 1)).toBe(day);
    expect(timeOf(days.nextDayAfter(at(end) - 1))).toBe(timeOf(at(end)));
    expect(days.dayAt(at(end))).not.toBe(day);
  });

  it('follow a clock that jumps', () => {
    const days = createSiteDays('Europe/Berlin');
    for (const [time, day] of [
      ['2031-05-02T12:00:00Z', '2031-05-02'],
      ['2029-01-01T00:00:00Z', '2029-01-01'],
      ['2031-05-02T12:00:00Z', '2031-05-02'],
      ['2031-05-02T21:59:59Z', '2031-05-02'],
      ['2031-05-02T22:00:00Z', '2031-05-03'],
      ['2031-05-02T21:59:59Z', '2031-05-02'],
      ['1970-01-01T00:00:00Z', '1970-01-01'],
    ] as const)
      expect([time, days.dayAt(at(time))]).toEqual([time, day]);
  });
});
