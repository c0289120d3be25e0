/** The size of an image in pixels, as stored: an orientation that a viewer applies changes nothing. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Reads from a file; answers fewer bytes, or none, at its end. */
export type ReadAt = (offset: number, length: number) => Promise<Uint8Array>;

/** Read at once behind the head, as the next thing that is asked for is usually near. */
const WINDOW_BYTES = 4096;
/** Enough for the longest chain of metadata blocks that cameras and editors write (64 KiB each). */
const MAX_READS = 512;

/**
 * A file of which the head is in memory and the rest is read in small pieces, only so often: a file that was
 * made to lead a reader round in circles soon seems to end.
 */
export function createByteSource(head: Uint8Array, readAt: ReadAt): ReadAt {
  let window = head;
  let windowStart = 0;
  let reads = 0;
  return async (offset, length) => {
    if (offset + length <= head.byteLength) return head.subarray(offset, offset + length);
    const isInWindow = offset >= windowStart && offset + length <= windowStart + window.byteLength;
    if (!isInWindow) {
      reads += 1;
      if (reads > MAX_READS) return new Uint8Array(0);
      window = await readAt(offset, Math.max(length, WINDOW_BYTES));
      windowStart = offset;
    }
    return window.subarray(offset - windowStart, offset - windowStart + length);
  };
}
