import { imageSize } from 'image-size';
import { createByteSource, type ImageSize, type ReadAt, viewOf } from './byte-source.ts';
import { isHeif, readHeifSize } from './heif-size.ts';

/** Determines the size of an image while it is uploaded. */
interface ImageSizer {
  push(chunk: Uint8Array): void;
  /**
   * Returns the size after the last push; undefined for other files and damaged images. `readAt` reads from the stored
   * file if the head is not sufficient; only its errors are thrown.
   */
  result(readAt: ReadAt): Promise<ImageSize | undefined>;
}

/** The head contains the size in all common formats except JPEG, TIFF and HEIF. */
export const HEAD_BYTES = 128 * 1024;
/** The maximum position of the root element of an SVG: the search grows faster than the text. */
const SVG_HEAD_BYTES = 16 * 1024;
const SVG_START_BYTES = 1000;
/** Types that are recognized by a few zeros, with which many other files begin too. */
const DOUBTFUL_TYPES = new Set(['cur', 'tga']);
const OLD_BMP_HEADER_BYTES = 12;
const MAX_SIDE = 2 ** 31 - 1;

/** Finds the width and height of an uploaded image from its header, without decoding it. */
export function createImageSizer(): ImageSizer {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  return {
    push(chunk) {
      if (bytes >= HEAD_BYTES || chunk.byteLength === 0) return;
      const part = chunk.slice(0, HEAD_BYTES - bytes);
      parts.push(part);
      bytes += part.byteLength;
    },
    async result(readAt) {
      const head = new Uint8Array(Buffer.concat(parts));
      const at = createByteSource(head, readAt);
      if (head[0] === 0xff && head[1] === 0xd8) return sound(await readJpegSize(at));
      if (isHeif(head)) return sound(await readHeifSize(at));
      if (isOldBmp(head)) return sound(readOldBmpSize(head));
      if (!isTiff(head)) return sizeIn(head);
      const directory = await extractDirectory(at);
      return directory && shownSize(sizeIn(directory), orientationIn(directory));
    },
  };
}

function sizeIn(head: Uint8Array): ImageSize | undefined {
  const isSvg = Buffer.from(head.subarray(0, SVG_START_BYTES)).includes('<svg');
  try {
    const size = imageSize(isSvg ? head.slice(0, SVG_HEAD_BYTES) : head);
    if (DOUBTFUL_TYPES.has(size.type ?? '')) return undefined;
    return sound(size.type === 'j2c' ? withoutOffset(size, head) : size);
  } catch {
    // The library throws various errors for other files and damaged images.
    return undefined;
  }
}

/** Returns the size of a JPEG 2000 codestream, whose picture begins at an offset in its grid (ISO/IEC 15444-1, A.5.1). */
function withoutOffset({ width, height }: ImageSize, head: Uint8Array): ImageSize {
  const view = viewOf(head);
  return { width: width - view.getUint32(16), height: height - view.getUint32(20) };
}

/** Returns the size of an image with an orientation of EXIF or TIFF: 5 to 8 exchange the sides. */
function shownSize(size: ImageSize | undefined, orientation: number): ImageSize | undefined {
  return size && orientation >= 5 && orientation <= 8 ? { width: size.height, height: size.width } : size;
}

/** Returns true for a BMP of OS/2, whose sides have 16 bits. The library reads 32. */
function isOldBmp(head: Uint8Array): boolean {
  return head[0] === 0x42 && head[1] === 0x4d && head[14] === OLD_BMP_HEADER_BYTES && head.byteLength >= 22;
}

function readOldBmpSize({ buffer, byteOffset }: Uint8Array): ImageSize {
  const view = new DataView(buffer, byteOffset);
  return { width: view.getUint16(18, true), height: view.getUint16(20, true) };
}

/** Returns a valid size, or undefined. */
function sound(size: ImageSize | undefined): ImageSize | undefined {
  const isSide = (side: unknown) => Number.isInteger(side) && Number(side) > 0 && Number(side) <= MAX_SIDE;
  return size && isSide(size.width) && isSide(size.height) ? { width: size.width, height: size.height } : undefined;
}

const MARKER_PREFIX = 0xff;
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
/** Marker, length, precision, height and width (ITU-T T.81, B.2.2). */
const FRAME_HEADER_BYTES = 9;
/** The segment of EXIF metadata, and the text at its start (CIPA DC-008, 4.7.2). */
const APP1 = 0xe1;
const EXIF_START = 'Exif\0\0';
/** The maximum number of skipped segments, fill bytes and stray bytes. */
const MAX_STEPS = 20_000;

/**
 * Reads the size of a JPEG, skipping segments (ITU-T T.81, B.1): megabytes of color profiles and metadata may precede it.
 * Undefined if there is none.
 */
async function readJpegSize(at: ReadAt): Promise<ImageSize | undefined> {
  let offset = 2;
  let orientation = 1;
  for (let step = 0; step < MAX_STEPS; step++) {
    const bytes = await at(offset, FRAME_HEADER_BYTES);
    const [prefix, marker] = bytes;
    if (prefix === undefined || marker === undefined) return undefined;
    if (prefix !== MARKER_PREFIX || marker === MARKER_PREFIX || marker === 0) {
      offset += 1;
      continue;
    }
    if (isAlone(marker)) {
      offset += 2;
      continue;
    }
    if (marker === START_OF_SCAN || marker === END_OF_IMAGE || bytes.byteLength < 4) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (isFrame(marker)) {
      if (bytes.byteLength < FRAME_HEADER_BYTES) return undefined;
      return shownSize({ height: view.getUint16(5), width: view.getUint16(7) }, orientation);
    }
    if (marker === APP1) orientation = (await exifOrientation(at, offset + 4)) ?? orientation;
    offset += 2 + view.getUint16(2);
  }
  return undefined;
}

/** Returns the orientation in EXIF metadata. Undefined for other metadata. */
async function exifOrientation(at: ReadAt, start: number): Promise<number | undefined> {
  const head = await at(start, EXIF_START.length);
  if (Buffer.from(head).toString('latin1') !== EXIF_START) return undefined;
  const directory = await extractDirectory((offset, length) => at(start + EXIF_START.length + offset, length));
  return directory && orientationIn(directory);
}

/** Returns true for markers without a length: TEM, and RST0 to RST7. */
function isAlone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
}

/** Returns true for SOF0 to SOF15; DHT, JPG and DAC have numbers among them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** The maximum number of read entries. They are sorted, and the size is among the first. */
const MAX_ENTRIES = 1024;
const CLASSIC = { version: 42, headerBytes: 8, countBytes: 2, entryBytes: 12 };
const BIG = { version: 43, headerBytes: 16, countBytes: 8, entryBytes: 20 };

/** Returns true for the head of a TIFF or BigTIFF of either byte order. */
export function isTiff(head: Uint8Array): boolean {
  const order = Buffer.from(head.subarray(0, 4)).toString('latin1');
  return ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].includes(order);
}

/**
 * Returns a TIFF that contains only the first directory of another, moved to the front: writers often put it at the end of
 * the file. Undefined if there is none.
 */
async function extractDirectory(at: ReadAt): Promise<Uint8Array | undefined> {
  const header = new Uint8Array(await at(0, BIG.headerBytes));
  if (header.byteLength < BIG.headerBytes) return undefined;
  const isLittleEndian = header[0] === 0x49;
  const view = new DataView(header.buffer);
  const form = view.getUint16(2, isLittleEndian) === BIG.version ? BIG : CLASSIC;
  const offset = form === BIG ? Number(view.getBigUint64(8, isLittleEndian)) : view.getUint32(4, isLittleEndian);
  if (offset < CLASSIC.headerBytes || offset > Number.MAX_SAFE_INTEGER / 2) return undefined;
  const counted = new Uint8Array(await at(offset, form.countBytes));
  if (counted.byteLength < form.countBytes) return undefined;
  const countView = new DataView(counted.buffer);
  const count =
    form === BIG ? Number(countView.getBigUint64(0, isLittleEndian)) : countView.getUint16(0, isLittleEndian);
  const wanted = Math.min(count, MAX_ENTRIES) * form.entryBytes;
  const entries = await at(offset + form.countBytes, wanted);
  const small = new Uint8Array(form.headerBytes + form.countBytes + wanted + 2 * form.entryBytes);
  small.set(header.subarray(0, form.headerBytes));
  const smallView = new DataView(small.buffer);
  if (form === BIG) smallView.setBigUint64(8, BigInt(form.headerBytes), isLittleEndian);
  else smallView.setUint32(4, form.headerBytes, isLittleEndian);
  small.set(counted, form.headerBytes);
  small.set(entries, form.headerBytes + form.countBytes);
  return small;
}

const ORIENTATION_TAG = 274;

/** Returns the orientation in a TIFF of `extractDirectory`, 1 to 8; 1 if it has none. */
function orientationIn(directory: Uint8Array): number {
  const view = viewOf(directory);
  const isLittleEndian = directory[0] === 0x49;
  const { headerBytes, countBytes, entryBytes } = view.getUint16(2, isLittleEndian) === BIG.version ? BIG : CLASSIC;
  // Two bytes of tag, two of type, then a count and a value of the same size.
  const valueOffset = (entryBytes + 4) / 2;
  for (let entry = headerBytes + countBytes; entry + entryBytes <= view.byteLength; entry += entryBytes)
    if (view.getUint16(entry, isLittleEndian) === ORIENTATION_TAG)
      return view.getUint16(entry + valueOffset, isLittleEndian);
  return 1;
}
