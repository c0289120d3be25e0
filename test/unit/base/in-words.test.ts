import { describe, expect, it } from 'bun:test';
import {
  byteText,
  countInWords,
  isoTime,
  jsonTime,
  momentInWords,
  numberText,
  secondsInWords,
} from '../../../src/base/in-words.ts';

const MOMENT = Date.UTC(2026, 10, 22, 4, 30, 5) / 1_000;

describe('formats', () => {
  it('groups the digits of numbers', () => {
    expect([0, 999, 1_000, 10_000_000].map(numberText)).toEqual(['0', '999', '1,000', '10,000,000']);
  });

  it('writes counts with the singular or the plural of their noun', () => {
    expect(countInWords(1, 'file')).toBe('1 file');
    expect(countInWords(10_000, 'file')).toBe('10,000 files');
    expect(countInWords(0, 'process', 'processes')).toBe('0 processes');
  });

  it('writes sizes in the largest unit that is at least one', () => {
    const sizes = [1, 999, 1_000, 999_949, 999_950, 1_250_000_000];
    expect(sizes.map(byteText)).toEqual(['1 byte', '999 bytes', '1.0 kB', '999.9 kB', '1.0 MB', '1.3 GB']);
  });

  it('writes durations in the largest unit of which there are two', () => {
    const durations = [0.4, 1, 90, 120, 5_400, 7_200, 172_800];
    const words = ['less than a second', '1 second', '90 seconds', '2 minutes', '90 minutes', '2 hours', '2 days'];
    expect(durations.map(secondsInWords)).toEqual(words);
  });

  it('writes times for readers, for XML and for JSON', () => {
    expect(momentInWords(MOMENT)).toBe('2026-11-22 04:30 UTC');
    expect(isoTime(MOMENT)).toBe('2026-11-22T04:30:05Z');
    expect(jsonTime(MOMENT)).toBe('2026-11-22T04:30:05.000Z');
  });
});
