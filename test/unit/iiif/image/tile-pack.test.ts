import { describe, expect, it } from 'bun:test';
import { createTileGrid, tileAt } from '../../../../src/iiif/image/tile-grid.ts';
import { readTilePack } from '../../../../src/iiif/image/tile-pack.ts';
import { type MadeEntry, madeZip } from '../../../support/made-zip.ts';

const IMAGE = { width: 1_000, height: 600 };
/** The bytes of a read. */
const WINDOW = 256 * 1_024;
const SHA256 = 'a'.repeat(64);
const INFO = JSON.stringify({ id: `urn:sha256:${SHA256}/pack`, ...IMAGE });

/** The entries of a pack. The bytes of a tile are its name. */
function entriesOf(info: string): MadeEntry[] {
  const grid = createTileGrid(IMAGE);
  const tiles = grid.levels.flatMap((level) =>
    Array.from({ length: level.rows * level.columns }, (_, at) => {
      const { region, size } = tileAt(grid, level, at % level.columns, Math.floor(at / level.columns));
      const { x, y, width, height } = region;
      return `${x},${y},${width},${height}/${size.width},${size.height}`;
    }),
  );
  return [
    { name: 'pack/info.json', content: info },
    ...tiles.map((name) => ({ name: `pack/${name}/0/default.jpg`, content: name })),
  ];
}

const readPack = (pack: Uint8Array, bytes = pack.byteLength) =>
  readTilePack(async (first, last) => pack.subarray(first, last + 1), bytes);
/** Returns a pack whose directory has another number for an entry, at an offset in its record (APPNOTE, 4.3.12). */
function withNumber(at: number, offset: number, value: number): Buffer {
  const zip = madeZip(entriesOf(INFO));
  let record = -1;
  for (let count = 0; count <= at; count++) record = zip.indexOf('PK\x01\x02', record + 1);
  zip.writeUInt32LE(value, record + offset);
  return zip;
}
const PACKED_SIZE = 20;
const SIZE = 24;
const START = 42;

const changed = (at: number, change: Partial<MadeEntry>) =>
  madeZip(entriesOf(INFO).map((entry, index) => (index === at ? { ...entry, ...change } : entry)));

describe('the directory of a tile pack', () => {
  it('has the place of each tile', async () => {
    const zip = madeZip(entriesOf(INFO));
    const pack = await readPack(zip);
    expect(pack.sourceSha256).toBe(SHA256);
    expect(pack.grid.count).toBe(5);
    for (const [region, size] of [
      [
        { x: 0, y: 0, width: 512, height: 512 },
        { width: 512, height: 512 },
      ],
      [
        { x: 512, y: 512, width: 488, height: 88 },
        { width: 488, height: 88 },
      ],
      [
        { x: 0, y: 0, ...IMAGE },
        { width: 500, height: 300 },
      ],
    ] as const) {
      const place = pack.find(region, size);
      const found = zip.subarray(place?.first, (place?.last ?? 0) + 1).toString();
      expect(found).toBe(`${region.x},${region.y},${region.width},${region.height}/${size.width},${size.height}`);
    }
  });

  it('is read with two reads: the end, and the description at the beginning', async () => {
    const zip = madeZip([...entriesOf(INFO), { name: 'pack/large.bin', content: new Uint8Array(600_000) }]);
    const reads: [number, number][] = [];
    const pack = await readTilePack(async (first, last) => {
      reads.push([first, last]);
      return zip.subarray(first, last + 1);
    }, zip.byteLength);
    const [end, start] = reads;
    expect(end).toEqual([zip.byteLength - WINDOW, zip.byteLength - 1]);
    expect(start?.[0]).toBeLessThan(100);
    expect((start?.[1] ?? 0) - (start?.[0] ?? 0) + 1).toBe(WINDOW);
    expect(reads).toHaveLength(2);
    expect(pack.grid.count).toBe(5);
  });

  it('has no place for a region that is no tile', async () => {
    const pack = await readPack(madeZip(entriesOf(INFO)));
    expect(pack.find({ x: 1, y: 0, width: 512, height: 512 }, { width: 512, height: 512 })).toBeUndefined();
  });

  it.each([
    ['without a description', changed(0, { name: 'pack/other.json' }), 'it has no info.json'],
    ['without a tile', changed(1, { name: 'pack/other.jpg' }), 'it has no tile 0,0,512,512/512,512'],
    ['with a compressed tile', changed(1, { isDeflated: true }), 'is compressed or empty'],
    ['with an empty tile', changed(1, { content: '' }), 'is compressed or empty'],
    ['of another source', madeZip(entriesOf(INFO.replace('urn:sha256', 'urn:md5'))), 'names the source urn:md5'],
    ['without a size', madeZip(entriesOf(INFO.replace('600', '0'))), 'its image has 1000 x 0 pixels'],
    ['with a tile behind its end', withNumber(1, START, 3_000_000), 'is outside of it'],
    ['with a tile that begins far away', withNumber(2, START, 0xfffffff0), 'is outside of it'],
    ['that is truncated', madeZip(entriesOf(INFO)).subarray(0, -60), 'its directory is invalid'],
  ])('is rejected for a pack %s', async (_, zip, message) => {
    await expect(readPack(zip)).rejects.toThrow(message);
  });

  it('is rejected for a tile that is longer than the pack', async () => {
    const zip = withNumber(1, PACKED_SIZE, 0xfffffff0);
    zip.writeUInt32LE(0xfffffff0, zip.indexOf('PK\x01\x02', zip.indexOf('PK\x01\x02') + 1) + SIZE);
    await expect(readPack(zip)).rejects.toThrow('is outside of it');
  });

  it('is rejected if the storage has fewer bytes than were stored', async () => {
    const zip = madeZip(entriesOf(INFO));
    await expect(readPack(zip, zip.byteLength + 10)).rejects.toThrow('it is truncated');
  });

  it('fails as the storage does', async () => {
    const read = () => Promise.reject(new Error('the storage does not answer'));
    await expect(readTilePack(read, 1_000)).rejects.toThrow('the storage does not answer');
  });
});
