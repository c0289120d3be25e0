import { describe, expect, it } from 'bun:test';
import { retryDelaySeconds } from '../../../src/jobs/settle-failure.ts';

const middle = () => 0.5;

describe('retryDelaySeconds', () => {
  it('grows from half a minute to three quarters of an hour', () => {
    expect([1, 2, 3, 4].map((attempts) => retryDelaySeconds(attempts, middle))).toEqual([30, 135, 608, 2734]);
  });

  it('never grows beyond an hour', () => {
    expect([5, 6, 100, 10_000].map((attempts) => retryDelaySeconds(attempts, middle))).toEqual([
      3600, 3600, 3600, 3600,
    ]);
  });

  it('varies randomly by a fifth in both directions', () => {
    expect(retryDelaySeconds(1, () => 0)).toBe(24);
    expect(retryDelaySeconds(1, () => 1)).toBe(36);
    expect(retryDelaySeconds(9, () => 0)).toBe(2880);
    expect(retryDelaySeconds(9, () => 1)).toBe(4320);
  });

  it('spreads five attempts over about an hour', () => {
    const seconds = [1, 2, 3, 4].reduce((sum, attempts) => sum + retryDelaySeconds(attempts, middle), 0);
    expect(seconds).toBeGreaterThan(50 * 60);
    expect(seconds).toBeLessThan(70 * 60);
  });

  it('is the same before and after the first attempt', () => {
    expect(retryDelaySeconds(0, middle)).toBe(30);
  });
});
