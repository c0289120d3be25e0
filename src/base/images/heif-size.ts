import { type ImageSize, type ReadAt, viewOf } from './byte-source.ts';

/** The brands of images and image sequences (ISO/IEC 23008-12, AVIF). Videos have other brands. */
const PICTURE_BRANDS = new Set('mif1 msf1 heic heix heim heis hevc hevx avif avis'.split(' '));
/** The first box of a video, which may have thousands. The description of an image comes before. */
const FILM_BOXES = new Set(['moov', 'moof']);
/** The maximum number of boxes at the top level; the description is usually the second. */
const MAX_TOP_BOXES = 16;
/** The maximum number of boxes at other levels: each tile may have a description. */
const MAX_BOXES = 2000;
/** The maximum size of the associations of items with properties; a tile takes a few bytes. */
const MAX_ASSOCIATION_BYTES = 1024 * 1024;
/** `ispe`: version, flags, width, height. `clap`: width and height as fractions, and their offsets. */
const EXTENT_BYTES = 12;
const CLEAN_APERTURE_BYTES = 32;

interface Box {
  readonly type: string;
  /** The start of the content. */
  readonly start: number;
  readonly end: number;
}

/** Returns true for the head of an image file such as HEIC and AVIF (ISO/IEC 14496-12, 4.3). */
export function isHeif(head: Uint8Array): boolean {
  const first = readBox(head, 0, head.byteLength);
  if (first?.type !== 'ftyp') return false;
  const { start, end } = first;
  for (let offset = start; offset + 4 <= end; offset += 4) {
    const isMinorVersion = offset === start + 4;
    if (!isMinorVersion && PICTURE_BRANDS.has(nameAt(head, offset))) return true;
  }
  return false;
}

/**
 * Returns the size of the primary item of a HEIF file (ISO/IEC 23008-12); undefined if there is none. Other items, often
 * before it, are tiles, thumbnails and depth maps. The rotation (`irot`) is applied.
 */
export async function readHeifSize(at: ReadAt): Promise<ImageSize | undefined> {
  const meta = await findDescription(at);
  if (meta === undefined) return undefined;
  const inMeta = { start: meta.start + 4, end: meta.end };
  const primary = await find(at, inMeta, 'pitm');
  const properties = await find(at, inMeta, 'iprp');
  if (primary === undefined || properties === undefined) return undefined;
  const id = viewOf(await at(primary.start, 8));
  if (id.byteLength < 8) return undefined;
  const item = id.getUint8(0) === 0 ? id.getUint16(4) : id.getUint32(4);
  const container = await find(at, properties, 'ipco');
  if (container === undefined) return undefined;
  return sizeAmong(at, container, await associationsOf(at, properties, item));
}

async function findDescription(at: ReadAt): Promise<Box | undefined> {
  for await (const box of boxesIn(at, { start: 0, end: Number.MAX_SAFE_INTEGER }, MAX_TOP_BOXES)) {
    if (box.type === 'meta') return box;
    if (FILM_BOXES.has(box.type)) return undefined;
  }
  return undefined;
}

/**
 * Returns the clean aperture, or the extent without a valid one, rotated. Encoders pad an image to whole blocks. A clean
 * aperture must consist of whole pixels of the extent.
 */
async function sizeAmong(at: ReadAt, container: Box, wanted: ReadonlySet<number>): Promise<ImageSize | undefined> {
  let extent: ImageSize | undefined;
  let clean: ImageSize | undefined;
  let isTurned = false;
  let index = 0;
  for await (const { type, start } of boxesIn(at, container)) {
    index += 1;
    if (!wanted.has(index)) continue;
    const view = viewOf(await at(start, CLEAN_APERTURE_BYTES));
    if (type === 'ispe' && view.byteLength >= EXTENT_BYTES)
      extent = { width: view.getUint32(4), height: view.getUint32(8) };
    // A number of quarter turns.
    if (type === 'irot' && view.byteLength > 0) isTurned = view.getUint8(0) % 2 === 1;
    if (type === 'clap' && view.byteLength >= CLEAN_APERTURE_BYTES)
      clean = { width: view.getUint32(0) / view.getUint32(4), height: view.getUint32(8) / view.getUint32(12) };
  }
  const isWithin = (side: number, whole: number) => Number.isInteger(side) && side > 0 && side <= whole;
  const isClean = extent && clean && isWithin(clean.width, extent.width) && isWithin(clean.height, extent.height);
  const size = isClean ? clean : extent;
  return size && isTurned ? { width: size.height, height: size.width } : size;
}

async function associationsOf(at: ReadAt, properties: Box, item: number): Promise<Set<number>> {
  const ids = new Set<number>();
  let leftBytes = MAX_ASSOCIATION_BYTES;
  for await (const { type, start, end } of boxesIn(at, properties)) {
    if (type !== 'ipma') continue;
    const bytes = await at(start, Math.min(end - start, leftBytes));
    for (const index of propertiesOf(item, bytes)) ids.add(index);
    leftBytes -= bytes.byteLength;
    if (leftBytes === 0) break;
  }
  return ids;
}

/** Returns the indexes of the properties of an item, from 1 (ISO/IEC 23008-12, 9.3.1). */
function propertiesOf(item: number, bytes: Uint8Array): number[] {
  const view = viewOf(bytes);
  if (view.byteLength < 8) return [];
  const idBytes = view.getUint8(0) === 0 ? 2 : 4;
  const indexBytes = view.getUint8(3) & 1 ? 2 : 1;
  const offsets: number[] = [];
  let offset = 8;
  for (let entries = view.getUint32(4); entries > 0 && offset + idBytes < view.byteLength; entries--) {
    const isWanted = (idBytes === 2 ? view.getUint16(offset) : view.getUint32(offset)) === item;
    const count = view.getUint8(offset + idBytes);
    offset += idBytes + 1;
    if (offset + count * indexBytes > view.byteLength) break;
    // The highest bit marks an essential property.
    for (let end = offset + count * indexBytes; offset < end; offset += indexBytes)
      if (isWanted) offsets.push(indexBytes === 2 ? view.getUint16(offset) & 0x7fff : view.getUint8(offset) & 0x7f);
  }
  return offsets;
}

async function find(at: ReadAt, within: Omit<Box, 'type'>, type: string): Promise<Box | undefined> {
  for await (const box of boxesIn(at, within)) if (box.type === type) return box;
  return undefined;
}

/** Yields the boxes in a part of a file. */
async function* boxesIn(at: ReadAt, within: Omit<Box, 'type'>, maxBoxes = MAX_BOXES): AsyncGenerator<Box> {
  let offset = within.start;
  for (let count = 0; count < maxBoxes && offset + 8 <= within.end; count++) {
    const box = readBox(await at(offset, 16), offset, within.end);
    if (box === undefined) return;
    yield box;
    offset = box.end;
  }
}

/** Parses the header of a box at an offset (ISO/IEC 14496-12, 4.2). */
function readBox(bytes: Uint8Array, offset: number, limit: number): Box | undefined {
  const view = viewOf(bytes);
  if (view.byteLength < 8) return undefined;
  const isLong = view.getUint32(0) === 1;
  if (isLong && view.byteLength < 16) return undefined;
  const start = offset + (isLong ? 16 : 8);
  const length = isLong ? Number(view.getBigUint64(8)) : view.getUint32(0) || limit - offset;
  const end = Math.min(offset + length, limit);
  return end < start ? undefined : { type: nameAt(bytes, 4), start, end };
}

function nameAt(bytes: Uint8Array, offset: number): string {
  return Buffer.from(bytes.subarray(offset, offset + 4)).toString('latin1');
}
