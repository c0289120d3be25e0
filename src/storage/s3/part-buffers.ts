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

const MIB = 1024 * 1024;

/** The maximum number of parts in S3, where each but the last has at least 5 MiB and at most 5 GiB. */
export const MAX_PARTS = 10_000;
const PARTS_A_STEP = 1_000;
/** The size for each thousand parts, in MiB; the last serves for all that follow. */
const STEPS_MIB = [5, 16, 32, 64, 128, 256, 1_200];

/**
 * Returns the size in bytes of part `number`, counted from 1. The length of a stream is unknown, and a part is in memory
 * until the server has it; so parts are small at first and grow with the file: the first thousand hold 4.9 GiB, 3,000
 * hold 52 GiB in parts of at most 32 MiB, 6,000 hold 489 GiB in parts of at most 256 MiB, and all 10,000 together
 * 5.05 TiB, more than the 5 TiB that S3 allows for an object.
 */
export function partSize(number: number): number {
  const step = Math.min(Math.floor((number - 1) / PARTS_A_STEP), STEPS_MIB.length - 1);
  return (STEPS_MIB[step] as number) * MIB;
}

/** Returns the number of parts of a size that one upload sends at a time: those that fit into 15 MiB, at least one. */
export function partsAtOnce(size: number): number {
  return Math.max(1, Math.floor((15 * MIB) / size));
}
