import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import type { ByteRange } from '../../storage/storage.ts';
import type { Box } from './image-request.ts';
import { PackReader, type ReadPart } from './pack-reader.ts';
import type { Size } from './resolve-request.ts';
import { createTileGrid, type TileGrid, tileAt, tileNumber } from './tile-grid.ts';

/** Entries of the directory beside the tiles: `info.json` and properties of vips. */
const MAX_OTHER_ENTRIES = 16;
/** Maximum number of tiles: an image of 65,535 pixels a side has 21,845. */
const MAX_TILES = 30_000;
const MAX_INFO_BYTES = 64 * 1024;
const STORED = 0;
const NAME_IN_PACK = /^[^/]+\/(.+)$/;
const TILE = /^(\d{1,6},\d{1,6},\d{1,6},\d{1,6}\/\d{1,4},\d{1,4})\/0\/default\.jpg$/;
/** The identifier that the command writes: the checksum of the image. */
const SOURCE_ID = /^urn:sha256:([0-9a-f]{64})\//;

/** Estimated bytes of a tile in memory: offset and length. */
const TILE_BYTES = 12;
const PACK_BYTES = 500;

/** The directory of a tile pack: where the finished tiles of an image are in its ZIP archive. */
export interface TilePack {
  readonly grid: TileGrid;
  /** The SHA-256 of the image from which the tiles were made. */
  readonly sourceSha256: string;
  /** Returns the bytes of the JPEG of a region in a size. Undefined if it is no tile. */
  find(region: Box, size: Size): ByteRange | undefined;
  /** Estimated bytes in memory. */
  readonly bytes: number;
}

/** A tile pack that is damaged, truncated, or not made by the command in config/processor.yaml. */
export class DamagedPackError extends Error {
  override readonly name = 'DamagedPackError';
}

/**
 * Reads the directory of a tile pack of `bytes` bytes, usually with two reads. `read` returns a part of it. Throws
 * DamagedPackError for an unusable pack, and the errors of `read`.
 */
export async function readTilePack(read: ReadPart, bytes: number): Promise<TilePack> {
  const reader = new PackReader(read, bytes);
  try {
    const zip = await fromRandomAccessReaderPromise(reader, bytes, { autoClose: false });
    const entries = await listEntries(zip);
    const description = entries.get('info.json');
    if (description === undefined) throw new DamagedPackError('it has no info.json');
    const { image, sourceSha256 } = await readDescription(zip, description);
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(description, { minimal: true });
    // vips writes the same fields after the name of each entry.
    const offset = fileDataStart - description.relativeOffsetOfLocalHeader - description.fileNameLength;
    return createPack(createTileGrid(image), sourceSha256, { entries, offset, bytes });
  } catch (error) {
    if (reader.failure !== undefined) throw reader.failure;
    if (error instanceof DamagedPackError) throw error;
    throw new DamagedPackError(`its directory is invalid: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

/** The entries by their name within the folder of the pack. */
type Entries = ReadonlyMap<string, Entry>;

async function listEntries(zip: ZipFile): Promise<Entries> {
  if (zip.entryCount > MAX_TILES + MAX_OTHER_ENTRIES) throw new DamagedPackError(`it has ${zip.entryCount} entries`);
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    const [, name] = NAME_IN_PACK.exec(entry.fileName) ?? [];
    if (name !== undefined) entries.set(TILE.exec(name)?.[1] ?? name, entry);
  }
  return entries;
}

async function readDescription(zip: ZipFile, entry: Entry): Promise<{ image: Size; sourceSha256: string }> {
  if (entry.uncompressedSize > MAX_INFO_BYTES) throw new DamagedPackError('its info.json is too large');
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const { id, width, height } = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
  const [, sourceSha256] = SOURCE_ID.exec(String(id)) ?? [];
  if (sourceSha256 === undefined) throw new DamagedPackError(`its info.json names the source ${String(id)}`);
  if (!isSide(width) || !isSide(height)) throw new DamagedPackError(`its image has ${width} x ${height} pixels`);
  return { image: { width, height }, sourceSha256 };
}

function isSide(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) < 1_000_000;
}

interface PackParts {
  readonly entries: Entries;
  /** The length of a local header without the name of its entry. */
  readonly offset: number;
  /** The size of the archive. */
  readonly bytes: number;
}

function createPack(grid: TileGrid, sourceSha256: string, { entries, offset, bytes }: PackParts): TilePack {
  if (grid.count > MAX_TILES) throw new DamagedPackError(`its image has ${grid.count} tiles`);
  const starts = new Float64Array(grid.count);
  const lengths = new Uint32Array(grid.count);
  for (const level of grid.levels)
    for (let row = 0; row < level.rows; row++)
      for (let column = 0; column < level.columns; column++) {
        const { region, size } = tileAt(grid, level, column, row);
        const name = `${region.x},${region.y},${region.width},${region.height}/${size.width},${size.height}`;
        const entry = entries.get(name);
        if (entry === undefined) throw new DamagedPackError(`it has no tile ${name}`);
        if (entry.compressionMethod !== STORED || entry.compressedSize === 0)
          throw new DamagedPackError(`its tile ${name} is compressed or empty`);
        const number = level.start + row * level.columns + column;
        const start = entry.relativeOffsetOfLocalHeader + entry.fileNameLength + offset;
        if (start + entry.compressedSize > bytes) throw new DamagedPackError(`its tile ${name} is outside of it`);
        starts[number] = start;
        lengths[number] = entry.compressedSize;
      }
  return {
    grid,
    sourceSha256,
    find(region, size) {
      const number = tileNumber(grid, region, size);
      if (number === undefined) return undefined;
      const first = starts[number] as number;
      return { first, last: first + (lengths[number] as number) - 1 };
    },
    bytes: PACK_BYTES + grid.count * TILE_BYTES,
  };
}
