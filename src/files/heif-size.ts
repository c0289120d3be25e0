import type { ReadAt } from './byte-source.ts';
import type { ImageSize } from './image-size.ts';

/** Boxes beside each other: of a picture made of tiles, each may have its own description. */
const MAX_BOXES = 2000;
/** Associations of items with their properties, of which a tile takes a few bytes. */
const MAX_ASSOCIATION_BYTES = 1024 * 1024;
/** `ispe`: version, flags, width and height. `clap`: width and height as fractions, and where they begin. */
const EXTENT_BYTES = 12;
const CLEAN_APERTURE_BYTES = 32;

interface Box {
  readonly type: string;
  /** Of its content. */
  readonly start: number;
  readonly end: number;
}

/** Whether these are the first bytes of an ISO base media file (ISO/IEC 14496-12), such as HEIC and AVIF. */
export function isHeif(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(4, 8)).toString('latin1') === 'ftyp';
}

/**
 * The size of the primary item of a HEIF file (ISO/IEC 23008-12). Others stand beside it, and often before it: tiles that
 * it is made of, in full multiples of what the encoder likes, thumbnails, depth maps. Undefined if there is none.
 */
export async function readHeifSize(at: ReadAt): Promise<ImageSize | undefined> {
  const meta = await find(at, { start: 0, end: Number.MAX_SAFE_INTEGER }, 'meta');
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
  const wanted = new Set<number>();
  for await (const box of boxesIn(at, properties))
    if (box.type === 'ipma') for (const index of propertiesOf(item, await contentOf(at, box))) wanted.add(index);
  return sizeAmong(at, container, wanted);
}

/** What a clean aperture leaves of the extent: encoders fill an image up to whole blocks. */
async function sizeAmong(at: ReadAt, container: Box, wanted: ReadonlySet<number>): Promise<ImageSize | undefined> {
  let extent: ImageSize | undefined;
  let clean: ImageSize | undefined;
  let index = 0;
  for await (const { type, start } of boxesIn(at, container)) {
    index += 1;
    if (!wanted.has(index)) continue;
    const view = viewOf(await at(start, CLEAN_APERTURE_BYTES));
    if (type === 'ispe' && view.byteLength >= EXTENT_BYTES)
      extent = { width: view.getUint32(4), height: view.getUint32(8) };
    if (type === 'clap' && view.byteLength >= CLEAN_APERTURE_BYTES)
      clean = {
        width: Math.round(view.getUint32(0) / view.getUint32(4)),
        height: Math.round(view.getUint32(8) / view.getUint32(12)),
      };
  }
  return extent && (clean ?? extent);
}

/** The numbers of the properties of an item, counted from 1 (ISO/IEC 23008-12, 9.3.1). */
function propertiesOf(item: number, bytes: Uint8Array): number[] {
  const view = viewOf(bytes);
  if (view.byteLength < 8) return [];
  const idBytes = view.getUint8(0) === 0 ? 2 : 4;
  const indexBytes = view.getUint8(3) & 1 ? 2 : 1;
  const found: number[] = [];
  let offset = 8;
  for (let entries = view.getUint32(4); entries > 0 && offset + idBytes < view.byteLength; entries--) {
    const isWanted = (idBytes === 2 ? view.getUint16(offset) : view.getUint32(offset)) === item;
    const count = view.getUint8(offset + idBytes);
    offset += idBytes + 1;
    if (offset + count * indexBytes > view.byteLength) break;
    // The highest bit says whether a reader must understand the property.
    for (let end = offset + count * indexBytes; offset < end; offset += indexBytes)
      if (isWanted) found.push(indexBytes === 2 ? view.getUint16(offset) & 0x7fff : view.getUint8(offset) & 0x7f);
  }
  return found;
}

function contentOf(at: ReadAt, { start, end }: Box): Promise<Uint8Array> {
  return at(start, Math.min(end - start, MAX_ASSOCIATION_BYTES));
}

async function find(at: ReadAt, within: Omit<Box, 'type'>, type: string): Promise<Box | undefined> {
  for await (const box of boxesIn(at, within)) if (box.type === type) return box;
  return undefined;
}

/** The boxes in a part of a file, one after another (ISO/IEC 14496-12, 4.2). */
async function* boxesIn(at: ReadAt, { start, end }: Omit<Box, 'type'>): AsyncGenerator<Box> {
  let offset = start;
  for (let count = 0; count < MAX_BOXES && offset + 8 <= end; count++) {
    const bytes = await at(offset, 16);
    const view = viewOf(bytes);
    if (view.byteLength < 8) return;
    const isLong = view.getUint32(0) === 1;
    if (isLong && view.byteLength < 16) return;
    const headerBytes = isLong ? 16 : 8;
    const length = isLong ? Number(view.getBigUint64(8)) : view.getUint32(0) || end - offset;
    if (length < headerBytes) return;
    const type = Buffer.from(bytes.subarray(4, 8)).toString('latin1');
    yield { type, start: offset + headerBytes, end: Math.min(offset + length, end) };
    offset += length;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
