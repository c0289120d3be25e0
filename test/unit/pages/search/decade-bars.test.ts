import { describe, expect, it } from 'bun:test';
import { decadeBars } from '../../../../src/pages/search/decade-bars.ts';

const decades = (...found: [decade: number, count: number][]) => found.map(([decade, count]) => ({ decade, count }));

describe('the bars of a chart of decades', () => {
  it('are empty without dates', () => {
    expect(decadeBars([])).toEqual([]);
  });

  it('include every decade between results, even without results', () => {
    expect(decadeBars(decades([1890, 3], [1920, 5]))).toEqual([
      { from: 1890, to: 1899, count: 3 },
      { from: 1900, to: 1909, count: 0 },
      { from: 1910, to: 1919, count: 0 },
      { from: 1920, to: 1929, count: 5 },
    ]);
  });

  it('are longer periods for many centuries, and include all results', () => {
    const found = decadeBars(decades([-500, 1], [1200, 2], [1290, 3], [2020, 4]));
    expect(found.length).toBeLessThanOrEqual(24);
    expect(found[0]).toEqual({ from: -600, to: -401, count: 1 });
    expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(10);
    expect(found.filter(({ count }) => count > 0).map(({ from, to }) => to - from)).toEqual([199, 199, 199]);
  });

  it('stay few for a large range of years', () => {
    const found = decadeBars(decades([-9_000_000, 1], [2020, 4]));
    expect(found.length).toBeLessThanOrEqual(30);
    expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(5);
  });
});
