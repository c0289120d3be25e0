import { createByteSource, type ReadAt, viewOf } from '../images/byte-source.ts';

/** The head of a file, in which most have their movie box. */
const HEAD_BYTES = 64 * 1024;
/** The maximum number of boxes on a level. A film has few, a fragmented one has many after its movie box. */
const MAX_BOXES = 200;
const HEADER_BYTES = 16;
/** Version, flags, two or four times, timescale and duration of a movie header. */
const MOVIE_HEADER_BYTES = 32;
/** The types of the first box of such a file. */
const FIRST_BOXES: ReadonlySet<string> = new Set(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip']);

interface Box {
  readonly type: string;
  /** The range of its content. */
  readonly start: number;
  readonly end: number;
}

/**
 * Reads the duration and the size of an MP4, M4A, MOV or 3GP from its movie box (ISO 14496-12, 8.2 and 8.3), wherever that
 * is. Undefined for other files.
 */
export async function isoMediaFacts(bytes: number, readAt: ReadAt): Promise<AvFacts | undefined> {
  const at = createByteSource(await readAt(0, HEAD_BYTES), readAt);
  const first = await boxAt(at, 0, bytes);
  if (first === undefined || !FIRST_BOXES.has(first.type)) return undefined;
  const facts = { seconds: undefined as number | undefined, width: 0, height: 0 };
  const movie = await findBox(at, { start: 0, end: bytes }, 'moov');
  for await (const box of movie === undefined ? [] : boxesIn(at, movie)) {
    if (box.type === 'mvhd') facts.seconds = await movieSeconds(at, box);
    const header = box.type === 'trak' ? await findBox(at, box, 'tkhd') : undefined;
    const size = header && (await trackSize(at, header));
    if (size !== undefined && size.width * size.height > facts.width * facts.height) Object.assign(facts, size);
  }
  return { seconds: facts.seconds, width: facts.width || undefined, height: facts.height || undefined };
}

async function findBox(at: ReadAt, parent: Pick<Box, 'start' | 'end'>, type: string): Promise<Box | undefined> {
  for await (const box of boxesIn(at, parent)) if (box.type === type) return box;
  return undefined;
}

async function* boxesIn(at: ReadAt, { start, end }: Pick<Box, 'start' | 'end'>): AsyncGenerator<Box> {
  let offset = start;
  for (let count = 0; count < MAX_BOXES && offset < end; count++) {
    const box = await boxAt(at, offset, end);
    if (box === undefined) return;
    yield box;
    offset = box.end;
  }
}

async function boxAt(at: ReadAt, offset: number, end: number): Promise<Box | undefined> {
  const view = viewOf(await at(offset, Math.min(HEADER_BYTES, end - offset)));
  if (view.byteLength < 8) return undefined;
  const short = view.getUint32(0);
  const hasLong = short === 1 && view.byteLength === HEADER_BYTES;
  // The last box may have no length.
  const length = short === 0 ? end - offset : hasLong ? Number(view.getBigUint64(8)) : short;
  const start = offset + (hasLong ? HEADER_BYTES : 8);
  if (offset + length < start) return undefined;
  const type = String.fromCharCode(view.getUint8(4), view.getUint8(5), view.getUint8(6), view.getUint8(7));
  return { type, start, end: Math.min(offset + length, end) };
}

async function movieSeconds(at: ReadAt, { start }: Box): Promise<number | undefined> {
  const view = viewOf(await at(start, MOVIE_HEADER_BYTES));
  if (view.byteLength < MOVIE_HEADER_BYTES) return undefined;
  const isLong = view.getUint8(0) === 1;
  const timescale = view.getUint32(isLong ? 20 : 12);
  const duration = isLong ? Number(view.getBigUint64(24)) : view.getUint32(16);
  return timescale > 0 ? duration / timescale : undefined;
}

/** The matrix, the width and the height at the end of a track header: fixed-point numbers (ISO 14496-12, 8.3.2). */
const GEOMETRY_BYTES = 44;
const MATRIX_BYTES = 36;
const ONE = 0x10000;

/** Returns the size of a track as it is shown, in whole pixels: a quarter turn of its matrix exchanges the sides. */
async function trackSize(at: ReadAt, { start, end }: Box): Promise<{ width: number; height: number } | undefined> {
  if (end - start < GEOMETRY_BYTES) return undefined;
  const view = viewOf(await at(end - GEOMETRY_BYTES, GEOMETRY_BYTES));
  if (view.byteLength < GEOMETRY_BYTES) return undefined;
  const width = Math.round(view.getUint32(MATRIX_BYTES) / ONE);
  const height = Math.round(view.getUint32(MATRIX_BYTES + 4) / ONE);
  const isTurned = view.getInt32(0) === 0 && view.getInt32(4) !== 0;
  return isTurned ? { width: height, height: width } : { width, height };
}

/** Facts of audio or video. Members that its header does not tell are undefined. */
export interface AvFacts {
  readonly seconds: number | undefined;
  /** The size of a video in pixels. */
  readonly width: number | undefined;
  readonly height: number | undefined;
}
