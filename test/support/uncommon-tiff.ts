/** Side of the pictures below in pixels. */
const SIDE = 64;
const HALF = SIDE / 2;

/** The colours of the quarters of the picture: top left, top right, bottom left, bottom right. */
export const QUARTERS = [
  [220, 20, 20],
  [20, 20, 220],
  [20, 200, 20],
  [200, 200, 200],
] as const;

type Pixel = readonly [number, number, number];

const TAG = {
  width: 256,
  height: 257,
  bitsPerSample: 258,
  compression: 259,
  photometric: 262,
  stripOffset: 273,
  orientation: 274,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripBytes: 279,
  jpegProcess: 512,
  jpegOffset: 513,
  jpegBytes: 514,
  subsampling: 530,
} as const;

const OLD_JPEG = 6;
const YCBCR = 6;
const SHORT = 3;
const ENTRY_BYTES = 12;
const BITS_OFFSET = 8;
const DATA_OFFSET = 16;

/** Returns the full-range YCbCr of a colour (ITU-R BT.601, as in JFIF). */
function toYcbcr([r, g, b]: Pixel): Pixel {
  const y = 0.299 * r + 0.587 * g + 0.114 * b;
  return [y, 128 + 0.564 * (b - y), 128 + 0.713 * (r - y)];
}

function pixelAt(x: number, y: number): Pixel {
  return QUARTERS[(y < HALF ? 0 : 2) + (x < HALF ? 0 : 1)] ?? QUARTERS[0];
}

/** Returns a TIFF file with one strip. */
function tiff(tags: Partial<Record<keyof typeof TAG, number | readonly [number, number]>>, strip: Uint8Array) {
  const own = { width: SIDE, height: SIDE, rowsPerStrip: SIDE, stripOffset: DATA_OFFSET, stripBytes: strip.length };
  const entries = Object.entries({ ...own, ...tags })
    .map(([name, value]) => [TAG[name as keyof typeof TAG], value] as const)
    .sort(([a], [b]) => a - b);
  const directory = Buffer.alloc(2 + entries.length * ENTRY_BYTES + 4);
  directory.writeUInt16LE(entries.length);
  entries.forEach(([tag, value], index) => {
    const at = 2 + index * ENTRY_BYTES;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(SHORT, at + 2);
    if (typeof value === 'number') {
      directory.writeUInt32LE(1, at + 4);
      directory.writeUInt16LE(value, at + 8);
    } else if (tag === TAG.bitsPerSample) {
      directory.writeUInt32LE(3, at + 4);
      directory.writeUInt32LE(BITS_OFFSET, at + 8);
    } else {
      directory.writeUInt32LE(2, at + 4);
      directory.writeUInt16LE(value[0], at + 8);
      directory.writeUInt16LE(value[1], at + 10);
    }
  });
  const head = Buffer.alloc(DATA_OFFSET);
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(DATA_OFFSET + strip.length, 4);
  for (const index of [0, 1, 2]) head.writeUInt16LE(8, BITS_OFFSET + 2 * index);
  return new Uint8Array(Buffer.concat([head, strip, directory]));
}

const EIGHT_BITS = { bitsPerSample: [8, 8], samplesPerPixel: 3, photometric: YCBCR } as const;

/**
 * Returns a YCbCr TIFF without compression, with the quarters above as stored. `step` is the number of pixels with one
 * Cb and Cr in both directions.
 */
export function ycbcrTiff(step: 1 | 2, orientation = 1): Uint8Array<ArrayBuffer> {
  const strip: number[] = [];
  for (let y = 0; y < SIDE; y += step)
    for (let x = 0; x < SIDE; x += step) {
      const [luma, cb, cr] = toYcbcr(pixelAt(x, y));
      for (let each = 0; each < step * step; each += 1) strip.push(Math.round(luma));
      strip.push(Math.round(cb), Math.round(cr));
    }
  return tiff({ ...EIGHT_BITS, compression: 1, orientation, subsampling: [step, step] }, Uint8Array.from(strip));
}

/** Returns a TIFF with a JPEG file in the old style (TIFF 6.0, section 22). */
export function oldJpegTiff(jpeg: Uint8Array): Uint8Array<ArrayBuffer> {
  const where = { jpegProcess: 1, jpegOffset: DATA_OFFSET, jpegBytes: jpeg.length };
  return tiff({ ...EIGHT_BITS, ...where, compression: OLD_JPEG, subsampling: [2, 2] }, jpeg);
}

/** Returns a gray TIFF of 12 bits per pixel: dark on the left, light on the right. */
export function grey12Tiff([dark, light]: readonly [number, number]): Uint8Array<ArrayBuffer> {
  const strip: number[] = [];
  for (let y = 0; y < SIDE; y += 1)
    for (let x = 0; x < SIDE; x += 2) {
      const level = (x < HALF ? dark : light) << 4;
      strip.push(level >> 4, ((level & 15) << 4) | (level >> 8), level & 255);
    }
  return tiff({ bitsPerSample: 12, samplesPerPixel: 1, photometric: 1, compression: 1 }, Uint8Array.from(strip));
}
