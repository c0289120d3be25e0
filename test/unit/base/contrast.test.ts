import { describe, expect, it } from 'bun:test';
import { contrastOf, isHexColour, leastContrast, nearestWithContrast } from '../../../src/base/contrast.ts';

describe('the contrast of two colours', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#fff', '#ffffff', 1],
    ['#777777', '#ffffff', 4.48],
    ['#0b4f6c', '#fbfaf7', 8.56],
  ])('of %s and %s is %d, in either order', (a, b, contrast) => {
    expect(contrastOf(a, b)).toBeCloseTo(contrast, 1);
    expect(contrastOf(b, a)).toBe(contrastOf(a, b));
  });
});

describe('the nearest colour with a contrast', () => {
  const grounds = ['#15171b', '#1d2025'];

  it.each(['#0b4f6c', '#800000', '#123', '#000000', '#ff00ff', '#5a5a00'])(
    'of %s has the contrast, and hardly more',
    (colour) => {
      const found = nearestWithContrast(colour, grounds, 4.5) ?? '';
      expect(isHexColour(found)).toBe(true);
      expect(leastContrast(found, grounds)).toBeGreaterThanOrEqual(4.5);
      if (found !== colour) expect(leastContrast(found, grounds)).toBeLessThan(4.8);
    },
  );

  it('is the colour itself if it suffices, and undefined if no colour has the contrast', () => {
    expect(nearestWithContrast('#7cc4e0', grounds, 4.5)).toBe('#7cc4e0');
    expect(nearestWithContrast('#7cc4e0', ['#000000', '#ffffff'], 10)).toBeUndefined();
  });

  it('keeps the hue', () => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
      Number.parseInt((nearestWithContrast('#600000', grounds, 4.5) ?? '').slice(at, at + 2), 16),
    );
    expect(red).toBeGreaterThan(Math.max(green, blue) + 60);
  });
});

it.each(['red', '#12', '#12345', '#ggg', '', ' #fff'])('isHexColour rejects %p', (text) => {
  expect(isHexColour(text)).toBe(false);
});
