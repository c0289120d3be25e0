/** Images of 23 x 17 pixels, or as much of them as tells their size, built from their specifications. */
export const WIDTH = 23;
export const HEIGHT = 17;

const text = (value: string) => Buffer.from(value, 'latin1');
const be16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const le16 = (value: number) => be16(value).reverse();
const be32 = (value: number) => Buffer.concat([be16(value >>> 16), be16(value & 0xffff)]);
const le32 = (value: number) => be32(value).reverse();
const be64 = (value: number) => Buffer.concat([be32(0), be32(value)]);
const le64 = (value: number) => be64(value).reverse();
const join = (...parts: (Buffer | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part)));

/** A box of an ISO base media file (ISO/IEC 14496-12, 4.2). */
const box = (type: string, ...content: Buffer[]) => {
  const body = join(...content);
  return join(be32(body.byteLength + 8), text(type), body);
};

interface TiffForm {
  isBig: boolean;
  isLittle: boolean;
  /** Pixels between the header and the directory. */
  gapBytes: number;
  orientation?: number;
}

/** A TIFF with six entries, of which the width is a SHORT and the height a LONG. */
export function madeTiff({ isBig, isLittle, gapBytes, orientation = 1 }: TiffForm): Buffer {
  const n16 = isLittle ? le16 : be16;
  const n32 = isLittle ? le32 : be32;
  const n64 = isLittle ? le64 : be64;
  const count = isBig ? n64 : n32;
  const entry = (tag: number, type: number, value: Buffer) =>
    join(n16(tag), n16(type), count(1), value, Buffer.alloc((isBig ? 8 : 4) - value.byteLength));
  const offset = (isBig ? 16 : 8) + gapBytes;
  return join(
    text(isLittle ? 'II' : 'MM'),
    isBig ? join(n16(43), n16(8), n16(0), n64(offset)) : join(n16(42), n32(offset)),
    Buffer.alloc(gapBytes, 0x55),
    isBig ? n64(6) : n16(6),
    entry(254, 4, n32(0)),
    entry(256, 3, n16(WIDTH)),
    entry(257, 4, n32(HEIGHT)),
    entry(258, 3, n16(8)),
    entry(259, 3, n16(1)),
    entry(274, 3, n16(orientation)),
    isBig ? n64(0) : n32(0),
  );
}

/** A JPEG segment (ITU-T T.81, B.1.1.4). */
export const jpegSegment = (marker: number, content: Uint8Array) =>
  join([0xff, marker], be16(content.byteLength + 2), Buffer.from(content));

/** The start of a JPEG: what is given, then the frame header of the process SOF`n`. */
export const jpegWith = (before: Buffer, process = 0) =>
  join(
    [0xff, 0xd8],
    before,
    jpegSegment(0xc0 + process, join([8], be16(HEIGHT), be16(WIDTH), [1, 1, 0x11, 0])),
    [0xff, 0xda],
  );

/** A JPEG XL codestream header: 2 bits of class, 9 of size, for the height, 3 of ratio, then the width. */
function jxlCodestream(): Buffer {
  const fields: [number, number][] = [
    [0, 1],
    [0, 2],
    [HEIGHT - 1, 9],
    [0, 3],
    [0, 2],
    [WIDTH - 1, 9],
  ];
  let bits = 0n;
  let length = 0n;
  for (const [value, width] of fields) {
    bits |= BigInt(value) << length;
    length += BigInt(width);
  }
  return join([0xff, 0x0a], le64(Number(bits)));
}

/** The width and height of an item of a HEIF file. */
export const extent = (width: number, height: number) => box('ispe', be32(0), be32(width), be32(height));

interface HeifForm {
  brand: string;
  /** Properties of all items, and the numbers of those that the primary item has, from 1. */
  properties: Buffer[];
  primary: number[];
  /** Item ids of 4 bytes and numbers of 2: for files of very many items. */
  isWide?: boolean;
  /** Between the first box and the description. */
  gapBytes?: number;
}

/** A film in fragments, of these brands, the major one first; its first box already fills more than the head of a file. */
export function madeFilm(first: 'moov' | 'mdat', [major = '', ...others]: string[]): Buffer {
  const fragment = join(box('moof', Buffer.alloc(100)), box('mdat', Buffer.alloc(5000, 0x55)));
  return join(
    box('ftyp', text(major), be32(512), ...[major, ...others].map(text)),
    box(first, Buffer.alloc(200_000)),
    ...Array.from({ length: 1000 }, () => fragment),
  );
}

/** A HEIF file of items 1 and 2, of which the second is what is shown; the first has the first property. */
export function madeHeif({ brand, properties, primary, isWide = false, gapBytes = 0 }: HeifForm): Buffer {
  const id = isWide ? be32 : be16;
  const entry = (item: number, numbers: number[]) =>
    join(
      id(item),
      [numbers.length],
      ...numbers.map((number) => (isWide ? be16(number | 0x8000) : Buffer.from([number | 0x80]))),
    );
  return join(
    box('ftyp', text(brand), be32(0), text('mif1')),
    gapBytes > 0 ? box('free', Buffer.alloc(gapBytes, 0x55)) : [],
    box(
      'meta',
      be32(0),
      box('hdlr', Buffer.alloc(24)),
      box('pitm', be32(isWide ? 1 << 24 : 0), id(2), isWide ? Buffer.alloc(0) : be16(0)),
      box(
        'iprp',
        box('ipco', ...properties),
        box('ipma', be32(isWide ? (1 << 24) | 1 : 0), be32(2), entry(1, [1]), entry(2, primary)),
      ),
    ),
  );
}

/** Tiles come first, the whole is put together of them, and what the encoder added is cut off. */
const tiled = [extent(512, 512), extent(64, 64), box('pixi', be32(0)), extent(WIDTH, HEIGHT)];
const aperture = (...sides: [number, number, number, number]) => box('clap', ...[...sides, 0, 1, 0, 1].map(be32));
const clean = aperture(WIDTH, 1, HEIGHT, 1);
/** Invalid apertures: a side is no number, zero, larger than the picture or a fraction. */
const NO_APERTURES: Record<string, Buffer> = {
  'over nothing': aperture(WIDTH, 0, HEIGHT, 1),
  'of nothing over nothing': aperture(WIDTH, 1, 0, 0),
  'of no height': aperture(WIDTH, 1, 0, 1),
  'wider than the picture': aperture(WIDTH + 1, 1, HEIGHT, 1),
  'with half a pixel': aperture(WIDTH, 1, HEIGHT, 2),
};

/** The header of each format that is recognized by its header. */
export const MADE: Record<string, Buffer> = {
  gif: join(text('GIF89a'), le16(WIDTH), le16(HEIGHT), [0, 0, 0]),
  bmp: join(text('BM'), le32(70), le32(0), le32(54), le32(40), le32(WIDTH), le32(HEIGHT), le16(1), le16(24)),
  'bmp from top to bottom': join(text('BM'), le32(70), le32(0), le32(54), le32(40), le32(WIDTH), le32(-HEIGHT >>> 0)),
  'bmp of OS/2': join(text('BM'), le32(70), le32(0), le32(26), le32(12), le16(WIDTH), le16(HEIGHT), le16(1), le16(24)),
  psd: join(text('8BPS'), be16(1), Buffer.alloc(6), be16(3), be32(HEIGHT), be32(WIDTH), be16(8), be16(3)),
  ico: join(le16(0), le16(1), le16(1), [WIDTH, HEIGHT, 0, 0], le16(1), le16(32), le32(40), le32(22)),
  ppm: text(`P6\n# made by hand\n${WIDTH} ${HEIGHT}\n255\n`),
  jp2: join(
    box('jP  ', Buffer.from([0x0d, 0x0a, 0x87, 0x0a])),
    box('ftyp', text('jp2 '), be32(0), text('jp2 ')),
    box('jp2h', box('ihdr', be32(HEIGHT), be32(WIDTH), be16(1), Buffer.from([7, 7, 0, 0]))),
  ),
  'jpeg 2000 codestream': join(
    [0xff, 0x4f, 0xff, 0x51],
    be16(41),
    be16(0),
    be32(WIDTH),
    be32(HEIGHT),
    Buffer.alloc(24),
  ),
  'jxl codestream': jxlCodestream(),
  'jxl container': join(
    box('JXL ', Buffer.from([0x0d, 0x0a, 0x87, 0x0a])),
    box('ftyp', text('jxl '), be32(0), text('jxl ')),
    box('jxlc', jxlCodestream()),
  ),
  heic: madeHeif({ brand: 'heic', properties: [extent(WIDTH, HEIGHT)], primary: [1] }),
  avif: madeHeif({ brand: 'avif', properties: [extent(WIDTH, HEIGHT)], primary: [1] }),
  'heic of tiles': madeHeif({ brand: 'heic', properties: tiled, primary: [3, 4] }),
  'heic of very many items': madeHeif({ brand: 'mif1', properties: tiled, primary: [3, 4], isWide: true }),
  'heic filled up to whole blocks': madeHeif({ brand: 'heic', properties: [...tiled, clean], primary: [2, 5] }),
  'heic that is shown turned': madeHeif({
    brand: 'heic',
    properties: [extent(HEIGHT, WIDTH), box('irot', Buffer.from([1]))],
    primary: [1, 2],
  }),
  ...Object.fromEntries(
    Object.entries(NO_APERTURES).map(([name, wrong]) => [
      `heic with an aperture ${name}`,
      madeHeif({ brand: 'heic', properties: [extent(WIDTH, HEIGHT), wrong], primary: [1, 2] }),
    ]),
  ),
  'picture of a brand of its own': madeHeif({ brand: 'abcd', properties: tiled, primary: [4] }),
  'avif that moves': madeHeif({ brand: 'avis', properties: tiled, primary: [4] }),
  svg: text(`<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"/>`),
  'svg with a view box only': text(`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}">`),
};
