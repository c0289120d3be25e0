import { describe, expect, it } from 'bun:test';
import { parseAge, parsePeriod, parseSample } from '../../../src/cli/parse-value.ts';

describe('parseSample', () => {
  it.each([
    ['5%', { percent: 5 }],
    ['0.1%', { percent: 0.1 }],
    ['100%', { percent: 100 }],
    ['1000', { files: 1000 }],
  ])('reads %s', (text, sample) => {
    expect(parseSample(text)).toEqual(sample);
  });

  it.each(['0', '0%', '101%', '1.5', '-1', '', '%', 'all', '5 %', '1e3'])('refuses %j', (text) => {
    expect(() => parseSample(text)).toThrow('It must be a part such as 5%');
  });
});

describe('parsePeriod', () => {
  it.each([
    ['30d', 2_592_000],
    ['1h', 3_600],
    ['off', 'off'],
  ] as const)('reads %s', (text, period) => {
    expect(parsePeriod(text)).toBe(period);
  });

  it.each(['59m', '0', 'on', '30 days', '99999d'])('refuses %j', (text) => {
    expect(() => parsePeriod(text)).toThrow('It must be a time such as 12h or 30d');
  });
});

describe('parseAge', () => {
  it('accepts an hour or more, and rejects less', () => {
    expect({ hour: parseAge('1h'), week: parseAge('7d') }).toEqual({ hour: 3_600, week: 604_800 });
    expect(() => parseAge('59m')).toThrow('from 1h');
    expect(() => parseAge('off')).toThrow('from 1h');
  });
});
