import type { Box } from './image-request.ts';
import type { Size } from './resolve-request.ts';

/** The side of a stored tile, in pixels: `--tile-size` of the command in config/processor.yaml. */
export const TILE_PIXELS = 512;

/** One step of the reduction of an image: its tiles show `scale` times as many pixels a side as they have. */
interface TileLevel {
  readonly scale: number;
  readonly columns: number;
  readonly rows: number;
  /** The number of tiles of the levels before it. */
  readonly start: number;
}

/** The tiles of an image in all its reductions, from its full size to the one that fits into one tile. */
export interface TileGrid {
  readonly image: Size;
  readonly levels: readonly TileLevel[];
  /** The number of tiles of all levels. */
  readonly count: number;
}

export function createTileGrid(image: Size): TileGrid {
  const levels: TileLevel[] = [];
  let start = 0;
  for (let scale = 1; ; scale *= 2) {
    const columns = Math.ceil(image.width / (scale * TILE_PIXELS));
    const rows = Math.ceil(image.height / (scale * TILE_PIXELS));
    levels.push({ scale, columns, rows, start });
    start += columns * rows;
    if (columns === 1 && rows === 1) return { image, levels, count: start };
  }
}

/** Returns the region and the size of a tile. Parts of a pixel count as a whole one. */
export function tileAt(
  { image }: TileGrid,
  { scale }: TileLevel,
  column: number,
  row: number,
): { region: Box; size: Size } {
  const side = scale * TILE_PIXELS;
  const [x, y] = [column * side, row * side];
  const [width, height] = [Math.min(side, image.width - x), Math.min(side, image.height - y)];
  return {
    region: { x, y, width, height },
    size: { width: Math.ceil(width / scale), height: Math.ceil(height / scale) },
  };
}

/** Returns the number of the tile with a region and size, counted by level, row and column. Undefined if there is none. */
export function tileNumber(grid: TileGrid, region: Box, size: Size): number | undefined {
  for (const level of grid.levels) {
    const side = level.scale * TILE_PIXELS;
    if (region.x % side !== 0 || region.y % side !== 0) continue;
    const [column, row] = [region.x / side, region.y / side];
    if (column >= level.columns || row >= level.rows) continue;
    const tile = tileAt(grid, level, column, row);
    const isTile =
      tile.region.width === region.width &&
      tile.region.height === region.height &&
      tile.size.width === size.width &&
      tile.size.height === size.height;
    if (isTile) return level.start + row * level.columns + column;
  }
  return undefined;
}
