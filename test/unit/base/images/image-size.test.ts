import { describe, expect, it } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { createImageSizer } from '../../../../src/base/images/image-size.ts';
import { extent, HEIGHT, jpegSegment, jpegWith, MADE, madeFilm, madeHeif, madeTiff, WIDTH } from './made-images.ts';

const FIXTURES = join(import.meta.dir, '../../../fixtures/images');
const SIZE = { width: WIDTH, height: HEIGHT };

/** Pushes a file as an upload does and lets the rest be read from it; counts the reads. */
async function sizeOf(file: Uint8Array, chunkBytes = 65_536) {
  const sizer = createImageSizer();
  for (let at = 0; at < file.byteLength; at += chunkBytes) sizer.push(file.subarray(at, at + chunkBytes));
  const reads: number[] = [];
  const size = await sizer.result(async (offset, length) => {
    reads.push(length);
    return file.subarray(offset, offset + length);
  });
  return { size, reads };
}

describe('createImageSizer', () => {
  it.each(readdirSync(FIXTURES))('reads %s written by an encoder', async (name) => {
    expect((await sizeOf(readFileSync(join(FIXTURES, name)))).size).toEqual(SIZE);
  });

  it.each(Object.entries(MADE))('reads the header of %s', async (_, file) => {
    expect((await sizeOf(file)).size).toEqual(SIZE);
  });

  it.each([1, 3, 100])('reads chunks of %d bytes, even in a reused buffer', async (chunkBytes) => {
    const file = readFileSync(join(FIXTURES, 'red.jpg'));
    const sizer = createImageSizer();
    const buffer = new Uint8Array(chunkBytes);
    for (let at = 0; at < file.byteLength; at += chunkBytes) {
      const part = file.subarray(at, at + chunkBytes);
      buffer.set(part);
      sizer.push(buffer.subarray(0, part.byteLength));
    }
    buffer.fill(0);
    expect(await sizer.result(async () => new Uint8Array(0))).toEqual(SIZE);
  });

  const forms = [false, true].flatMap((isBig) =>
    [false, true].flatMap((isLittle) => [0, 40_000, 1_000_000].map((gapBytes) => ({ isBig, isLittle, gapBytes }))),
  );
  const named = forms.map((form) => [
    `${form.isBig ? 'BigTIFF' : 'TIFF'}, ${form.isLittle ? 'II' : 'MM'}, ${form.gapBytes} bytes of pixels`,
    form,
  ]) as [string, (typeof forms)[number]][];
  it.each(named)('reads a directory at the end: %s', async (_, form) => {
    expect((await sizeOf(madeTiff(form))).size).toEqual(SIZE);
  });

  it.each([0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15])('reads a JPEG of process SOF%d', async (process) => {
    expect((await sizeOf(jpegWith(Buffer.alloc(0), process))).size).toEqual(SIZE);
  });

  it('reads a JPEG behind megabytes of metadata, in few small reads', async () => {
    const profiles = Buffer.concat(Array.from({ length: 60 }, () => jpegSegment(0xe2, Buffer.alloc(65_000, 0xff))));
    const { size, reads } = await sizeOf(jpegWith(profiles));
    expect(size).toEqual(SIZE);
    expect(reads.length).toBeLessThan(70);
    expect(Math.max(...reads)).toBeLessThanOrEqual(4096);
  });

  it('reads a HEIF with its metadata at the end, in few small reads', async () => {
    const { size, reads } = await sizeOf(
      madeHeif({ brand: 'heic', properties: [extent(WIDTH, HEIGHT)], primary: [1], gapBytes: 3_000_000 }),
    );
    expect(size).toEqual(SIZE);
    expect(reads.length).toBeLessThan(10);
    expect(Math.max(...reads)).toBeLessThanOrEqual(4096);
  });

  it.each([
    ['an MP4', 'moov', ['isom', 'iso6', 'mp41']],
    ['a MOV that ends with its description', 'mdat', ['qt  ']],
    ['a video that also claims to be a picture', 'moov', ['isom', 'mif1']],
  ] as const)('stops reading a video early: %s', async (_, first, brands) => {
    expect(await sizeOf(madeFilm(first, [...brands]))).toEqual({ size: undefined, reads: [] });
  });

  const lengths: [number, bigint][] = [
    ...[0, 2, 7, 8, 9, 0x7fff_ffff, 0xffff_ffff].map((length): [number, bigint] => [length, 0n]),
    ...[0n, 15n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 64n - 1n].map((length): [number, bigint] => [1, length]),
  ];
  it.each(lengths)('tolerates a HEIF box of %d (%d) bytes', async (length, longLength) => {
    const form = { brand: 'heic', properties: [extent(WIDTH, HEIGHT)], primary: [1] };
    for (const type of ['ftyp', 'free', 'meta', 'hdlr', 'pitm', 'iprp', 'ipco', 'ispe', 'ipma'])
      for (const gapBytes of [8, 200_000]) {
        const file = madeHeif({ ...form, gapBytes });
        const at = file.indexOf(type) - 4;
        file.writeUInt32BE(length, at);
        if (length === 1) file.writeBigUInt64BE(longLength, at + 8);
        const { reads } = await sizeOf(file);
        expect(reads.length).toBeLessThan(20);
        expect(Math.max(0, ...reads)).toBeLessThanOrEqual(1024 * 1024);
      }
  });

  it('rejects a count of associations that exceeds the file', async () => {
    const file = Buffer.from(MADE['heic of tiles'] ?? '');
    file.writeUInt32BE(0xffff_ffff, file.indexOf('ipma') + 8);
    expect((await sizeOf(file)).size).toEqual(SIZE);
  });

  const exif = (orientation: number) =>
    Buffer.concat([
      Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0', 'latin1'),
      Buffer.from([orientation, 0, 0]),
      // An embedded thumbnail.
      Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]),
    ]);

  it.each([
    ...[0, 1, 2, 3, 4, 9, 255].map((orientation) => [orientation, SIZE] as const),
    ...[5, 6, 7, 8].map((orientation) => [orientation, { width: HEIGHT, height: WIDTH }] as const),
  ])('reads the size as it is shown with the orientation %d', async (orientation, size) => {
    expect((await sizeOf(jpegWith(jpegSegment(0xe1, exif(orientation))))).size).toEqual(size);
    const otherMetadata = jpegSegment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0<x/>'));
    expect((await sizeOf(jpegWith(Buffer.concat([jpegSegment(0xe1, exif(orientation)), otherMetadata])))).size).toEqual(
      size,
    );
    for (const isBig of [false, true])
      for (const isLittle of [false, true])
        expect((await sizeOf(madeTiff({ isBig, isLittle, gapBytes: 40_000, orientation }))).size).toEqual(size);
  });

  it('reads a JPEG with damaged EXIF metadata', async () => {
    const whole = exif(6);
    for (let length = 0; length < 30; length++) {
      const { size } = await sizeOf(jpegWith(jpegSegment(0xe1, whole.subarray(0, length))));
      expect([WIDTH, HEIGHT]).toContain(size?.width ?? 0);
    }
  });

  it('reads a JPEG 2000 codestream whose picture begins at an offset', async () => {
    const numbers = Buffer.alloc(24);
    for (const [index, value] of [WIDTH + 5, HEIGHT + 3, 5, 3].entries()) numbers.writeUInt32BE(value, 4 * index);
    const head = Buffer.concat([Buffer.from([0xff, 0x4f, 0xff, 0x51, 0, 41, 0, 0]), numbers, Buffer.alloc(20)]);
    expect((await sizeOf(head)).size).toEqual(SIZE);
  });

  it('skips fill bytes and stray bytes between segments', async () => {
    const before = Buffer.concat([
      Buffer.from([0xff, 0xff, 0xff]),
      jpegSegment(0xfe, Buffer.from('x')),
      Buffer.alloc(5),
    ]);
    expect((await sizeOf(jpegWith(before))).size).toEqual(SIZE);
  });

  it.each([
    ['nothing', ''],
    ['text', 'just words'],
    ['zeros, which some formats start with', '\0'.repeat(1000)],
    ['a PDF', '%PDF-1.7\n'],
    ['a JPEG that ends after its first bytes', '\xff\xd8\xff'],
    ['a JPEG without a frame', '\xff\xd8\xff\xda\0\x02'],
    ['a JPEG of segments without length', `\xff\xd8${'\xff\xe0\0\0'.repeat(50)}`],
    ['a PNG of no width', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\x11'],
    ['a TIFF with its directory beyond the end', 'II*\0\xff\xff\xff\x7f\0\0\0\0\0\0\0\0'],
    ['a TIFF with its header as directory', 'II*\0\0\0\0\0\0\0\0\0\0\0\0\0'],
    ['an ICNS of unknown icons', 'icns\0\0\0\x10????\0\0\0\x08'],
    ['an SVG of no size', '<svg width="a" height="b">'],
  ])('returns undefined for %s', async (_, file) => {
    expect((await sizeOf(Buffer.from(file, 'latin1'))).size).toBeUndefined();
  });

  it.each([...Object.values(MADE), madeTiff({ isBig: false, isLittle: true, gapBytes: 0 }), jpegWith(Buffer.alloc(0))])(
    'tolerates damage anywhere (%#)',
    async (file) => {
      for (let end = 0; end < file.byteLength; end++) await sizeOf(file.subarray(0, end));
      const damages = fc.array(fc.tuple(fc.nat(file.byteLength - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(damages, async (damage) => {
          const damaged = Buffer.from(file);
          for (const [at, value] of damage) damaged[at] = value;
          const { size } = await sizeOf(damaged);
          if (size === undefined) return;
          expect(size.width).toBeGreaterThan(0);
          expect(size.height).toBeGreaterThan(0);
        }),
        { numRuns: 300 },
      );
    },
  );

  const MEGABYTES = 4_000_000;
  const filled = (start: string, filling: string) =>
    Buffer.from(start + filling.repeat(Math.ceil(MEGABYTES / filling.length)), 'latin1');
  it.each([
    ['SVG roots that never end', filled('', '<svg "')],
    ['SVG roots of attributes', filled('<svg ', `a='"' `)],
    ['JPEG fill bytes', filled('\xff\xd8', '\xff')],
    ['JPEG stray bytes', filled('\xff\xd8', '\0')],
    ['JPEG restart markers', filled('\xff\xd8', '\xff\xd0')],
    ['empty JPEG segments', filled('\xff\xd8', '\xff\xe0\0\x02')],
    ['boxes of no size', filled('\0\0\0\x10ftypheic\0\0\0\0', '\0\0\0\0')],
    ['boxes of their header only', filled('\0\0\0\x10ftypheic\0\0\0\0', '\0\0\0\x08free')],
    [
      'boxes of associations',
      filled(
        '\0\0\0\x10ftypheic\0\0\0\0\0\0\0\0meta\0\0\0\0\0\0\0\x0epitm\0\0\0\0\0\x02\0\0\0\0iprp\0\0\0\x08ipco',
        `\0\0\x80\0ipma\0\0\0\0\xff\xff\xff\xff${'\0\x02\0'.repeat(0x8000)}`.slice(0, 0x8000),
      ),
    ],
    ['JPEG XL parts', filled('\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x10ftypjxl \0\0\0\0', '\0\0\0\x0cjxlp\0\0\0\0')],
    ['tiny icons', filled('icns\x7f\xff\xff\xff', '????\0\0\0\x08')],
    ['TIFF entries', filled('II*\0\x10\0\0\0\0\0\0\0\0\0\0\0\xff\xff', '\x01\0\x03\0\x01\0\0\0\x01\0\0\0')],
  ])('ends soon, and reads little, for megabytes of %s', async (_, file) => {
    const { size, reads } = await sizeOf(file);
    expect(size).toBeUndefined();
    expect(reads.length).toBeLessThanOrEqual(512);
    expect(reads.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(3_000_000);
  });

  it('throws the error of reading the file', async () => {
    const sizer = createImageSizer();
    sizer.push(madeTiff({ isBig: false, isLittle: true, gapBytes: 500_000 }));
    await expect(sizer.result(() => Promise.reject(new Error('disk away')))).rejects.toThrow('disk away');
  });
});
