import type { ImageSize, ReadAt } from './byte-source.ts';

const MARKER_PREFIX = 0xff;
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
/** Marker, length, precision, height and width (ITU-T T.81, B.2.2). */
const FRAME_HEADER_BYTES = 9;
/** Segments, fill bytes and stray bytes between them that are passed over. */
const MAX_STEPS = 20_000;

/**
 * The size of a JPEG of any process, from segment to segment (ITU-T T.81, B.1): colour profiles and metadata
 * of megabytes may stand before it. Undefined if there is none.
 */
export async function readJpegSize(at: ReadAt): Promise<ImageSize | undefined> {
  let offset = 2;
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
      return { height: view.getUint16(5), width: view.getUint16(7) };
    }
    offset += 2 + view.getUint16(2);
  }
  return undefined;
}

/** TEM and RST0 to RST7, which have no length. */
function isAlone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
}

/** SOF0 to SOF15; DHT, JPG and DAC stand among their numbers. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
