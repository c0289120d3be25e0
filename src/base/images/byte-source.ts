/** The size of an image in pixels as it is shown: its sides are exchanged if its orientation says so. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Reads from a file. Returns fewer bytes, or none, at its end. */
export type ReadAt = (offset: number, length: number) => Promise<Uint8Array>;

/** The minimum size of a read after the head: the next read is usually near. */
const WINDOW_BYTES = 4096;
/** The maximum number of reads: enough for the metadata blocks of cameras and editors (64 KiB each). */
const MAX_READS = 512;

/**
 * Creates a reader of a file whose head is in memory. The number of further reads is limited, so that a malicious file
 * cannot cause an endless loop: it appears to end.
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

/** Returns a view of bytes to read numbers from. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
