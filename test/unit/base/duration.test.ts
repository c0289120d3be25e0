import { describe, expect, it } from 'bun:test';
import { parseDuration } from '../../../src/base/duration.ts';

describe('a duration', () => {
  it.each([
    ['90', 90],
    ['90s', 90],
    ['30m', 1800],
    ['2h', 7200],
    ['7d', 604_800],
  ])('is read: %s', (text, seconds) => expect(parseDuration(text)).toBe(seconds));

  it.each(['', '0', '0h', '-1h', '1.5h', '2 h', '2H', 'h', '1h30m', '9999999999', '1e3', '٣h'])(
    'is refused: "%s"',
    (text) => expect(parseDuration(text)).toBeUndefined(),
  );
});
