import { partSize } from './s3-part-sizes.ts';

/** What a small file needs; one that does not fit goes on in the buffer of a part. */
const SMALL_BYTES = 1024 * 1024;
/** How many idle buffers of each of the two usual sizes are kept for the next upload. */
const MAX_IDLE = 3;
/** Of all uploads together: parts on their way beyond the first of each. With it, memory does not grow with their product. */
const MAX_EXTRA_PARTS = 6;

/** The memory that the uploads to one bucket share. */
export interface PartBuffers {
  /** A buffer for at least so many bytes: a small one, or one of exactly that size. */
  take(bytes: number): Buffer<ArrayBuffer>;
  /** Only for a buffer that nothing reads any more: not after a request that was broken off. */
  giveBack(buffer: Buffer<ArrayBuffer>): void;
  /** Whether one more part may be on its way; if so, `endExtra` is to be called in the end. */
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
