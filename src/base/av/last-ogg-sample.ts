import type { ReadAt } from '../images/byte-source.ts';

/** The maximum length of a page of Ogg (RFC 3533, 6). The end of a file contains the last one. */
const MAX_PAGE_BYTES = 65_307;
const PAGE_MARK = 'OggS';
/** The offset of the position in the header of a page. */
const POSITION_OFFSET = 6;

/** Returns the position of the last page of Ogg, in samples. Undefined for other files. */
export async function lastOggSample(bytes: number, readAt: ReadAt): Promise<number | undefined> {
  const length = Math.min(bytes, MAX_PAGE_BYTES);
  const end = Buffer.from(await readAt(bytes - length, length));
  for (let at = end.lastIndexOf(PAGE_MARK); at >= 0; at = at === 0 ? -1 : end.lastIndexOf(PAGE_MARK, at - 1)) {
    // A page on which no packet ends has the position -1.
    const position = at + POSITION_OFFSET + 8 <= end.length ? end.readBigInt64LE(at + POSITION_OFFSET) : -1n;
    if (position >= 0n) return Number(position);
  }
  return undefined;
}
