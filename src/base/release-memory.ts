/** How many bytes pass between two looks at the memory. */
const BYTES_BETWEEN_LOOKS = 4 * 1024 * 1024;
/** Up to here the resident memory may grow on the way of streams before it is taken back … */
const COMFORTABLE_BYTES = 120 * 1024 * 1024;
/** … and where so much is held anyway, by so much more: collecting for less costs more than it gives. */
const MIN_GROWTH_BYTES = 8 * 1024 * 1024;

let streamedBytes = 0;
let residentFloor = Number.POSITIVE_INFINITY;

/**
 * Notes that a chunk has been streamed, and takes back the memory of many when it has grown. Each chunk
 * leaves a buffer behind; the collector, which sees a heap of a few megabytes, is in no hurry with them.
 */
export function noteStreamed(bytes: number): void {
  streamedBytes += bytes;
  if (streamedBytes < BYTES_BETWEEN_LOOKS) return;
  streamedBytes = 0;
  const resident = process.memoryUsage.rss();
  // At the first look the start has left much behind: that would be a high floor.
  const isFirst = residentFloor === Number.POSITIVE_INFINITY;
  residentFloor = Math.min(residentFloor, resident);
  if (!isFirst && resident < Math.max(COMFORTABLE_BYTES, residentFloor + MIN_GROWTH_BYTES)) return;
  Bun.gc(true);
  residentFloor = process.memoryUsage.rss();
}

/** Up to here the resident memory may grow while rows are worked through … */
const COMFORTABLE_FOR_ROWS_BYTES = 208 * 1024 * 1024;
/** … and where so much is held anyway, by so much more. */
const MIN_GROWTH_OF_ROWS_BYTES = 32 * 1024 * 1024;

let floorOfRows = 0;

/**
 * Takes back what working through very many rows has left behind, once that is much: where there is memory to spare the
 * collector would let it grow on. To be called every few hundred rows.
 */
export function releaseAfterRows(): void {
  const resident = process.memoryUsage.rss();
  if (resident < Math.max(COMFORTABLE_FOR_ROWS_BYTES, floorOfRows + MIN_GROWTH_OF_ROWS_BYTES)) return;
  Bun.gc(true);
  floorOfRows = process.memoryUsage.rss();
}
