import { describe, expect, it } from 'bun:test';
import { createTileGrid, tileAt, tileNumber } from '../../../../src/iiif/image/tile-grid.ts';

describe('the tiles of an image', () => {
  it.each([
    [{ width: 1, height: 1 }, 1, 1],
    [{ width: 512, height: 512 }, 1, 1],
    [{ width: 513, height: 1 }, 2, 3],
    [{ width: 8000, height: 6000 }, 5, 257],
    [{ width: 20_000, height: 15_000 }, 7, 1609],
  ])('of %j have %d levels and number %d', (image, levels, count) => {
    const grid = createTileGrid(image);
    expect({ levels: grid.levels.length, count: grid.count }).toEqual({ levels, count });
  });

  it('are found by region and size, each with its own number', () => {
    const grid = createTileGrid({ width: 1539, height: 1027 });
    const numbers = grid.levels.flatMap((level) =>
      Array.from({ length: level.columns * level.rows }, (_, at) => {
        const { region, size } = tileAt(grid, level, at % level.columns, Math.floor(at / level.columns));
        return tileNumber(grid, region, size);
      }),
    );
    expect(numbers).toEqual(Array.from({ length: grid.count }, (_, at) => at));
  });

  it('do not include another region or size', () => {
    const grid = createTileGrid({ width: 1539, height: 1027 });
    const tile = { x: 512, y: 0, width: 512, height: 512 };
    const size = { width: 512, height: 512 };
    expect(tileNumber(grid, tile, size)).toBe(1);
    expect(tileNumber(grid, { ...tile, x: 513 }, size)).toBeUndefined();
    expect(tileNumber(grid, { ...tile, x: 2048 }, size)).toBeUndefined();
    expect(tileNumber(grid, { ...tile, width: 511 }, size)).toBeUndefined();
    expect(tileNumber(grid, tile, { ...size, height: 256 })).toBeUndefined();
  });
});
