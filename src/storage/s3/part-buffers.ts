import { partSize } from './part-sizes.ts';

/** The first buffer of an upload; a file that does not fit is moved to the buffer of a part. */
const SMALL_BYTES = 1024 * 1024;
/** The number of idle buffers of each of the two usual sizes that are kept for the next upload. */
const MAX_IDLE = 3;
/** The maximum number of parts under way beyond the first of each upload, over all uploads: it bounds their memory. */
const MAX_EXTRA_PARTS = 6;

/** The memory that the uploads to one bucket share. */
export interface PartBuffers {
  /** Returns a buffer of exactly this size in bytes, or a small one if that is larger. */
  take(bytes: number): Buffer<ArrayBuffer>;
  /** Returns a buffer to the pool. Nothing may read it any more, as an aborted request might. */
  giveBack(buffer: Buffer<ArrayBuffer>): void;
  /** Returns true if one more part may be under way; the caller then calls `endExtra` at its end. */
  beginExtra(): boolean;
  endExtra(): void;
}

export function createPartBuffers(): PartBuffers {
  const idle = new Map<number, Buffer<ArrayBuffer>[]>([SMALL_BYTES, partSize(1)].map((size) => [size, []]));
  let extra = 0;
  return {
    take(bytes) {
      const size = Math.max(bytes, SMALL_BYTES);
      return idle.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size);
    },
    giveBack(buffer) {
      const others = idle.get(buffer.byteLength);
      if (others !== undefined && others.length < MAX_IDLE) others.push(buffer);
    },
    beginExtra() {
      if (extra >= MAX_EXTRA_PARTS) return false;
      extra += 1;
      return true;
    },
    endExtra() {
      extra -= 1;
    },
  };
}
