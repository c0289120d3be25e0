/** The number of streamed bytes between two checks of the memory. */
const BYTES_BETWEEN_LOOKS = 2 * 1024 * 1024;
/** The resident memory from which streaming triggers a collection. */
const COMFORTABLE_BYTES = 120 * 1024 * 1024;
/** The growth from which it triggers one if the memory is above that anyway: a collection for less costs too much. */
const MIN_GROWTH_BYTES = 8 * 1024 * 1024;

/**
 * The number of streamed bytes that pay for a millisecond of collection. A collection takes the longer the more is in
 * memory, and everyone waits for it: with 400 MB it takes 70 ms.
 */
const BYTES_PER_MS = 1024 * 1024;
/** The bytes that pay for any collection: what streaming can leave in memory. */
const MAX_BYTES_BETWEEN_COLLECTIONS = 32 * 1024 * 1024;

let bytesSinceLook = 0;
let bytesSinceCollection = 0;
/** The duration of the last collection. */
let collectionMs = 0;
let residentFloor = Number.POSITIVE_INFINITY;

/**
 * Counts a streamed chunk, and collects garbage if the memory has grown. Each chunk leaves a buffer outside the heap, and
 * the collector, which sees a small heap, would free these late.
 */
export function noteStreamed(bytes: number): void {
  bytesSinceLook += bytes;
  bytesSinceCollection += bytes;
  const price = Math.min(collectionMs * BYTES_PER_MS, MAX_BYTES_BETWEEN_COLLECTIONS);
  if (bytesSinceLook < BYTES_BETWEEN_LOOKS || bytesSinceCollection < price) return;
  bytesSinceLook = 0;
  const resident = process.memoryUsage.rss();
  // The start leaves garbage, which would raise the first measurement.
  const isFirst = residentFloor === Number.POSITIVE_INFINITY;
  residentFloor = Math.min(residentFloor, resident);
  if (!isFirst && resident < Math.max(COMFORTABLE_BYTES, residentFloor + MIN_GROWTH_BYTES)) return;
  const startedAt = performance.now();
  Bun.gc(true);
  collectionMs = performance.now() - startedAt;
  bytesSinceCollection = 0;
  residentFloor = process.memoryUsage.rss();
}

/** The resident memory from which processing rows triggers a collection. */
const COMFORTABLE_FOR_ROWS_BYTES = 192 * 1024 * 1024;
/** The growth from which it triggers one if the memory is above that anyway. */
const MIN_GROWTH_OF_ROWS_BYTES = 16 * 1024 * 1024;

let floorOfRows = 0;

/** Collects garbage if processing many rows has raised the memory. Call it every few hundred rows. */
export function releaseAfterRows(): void {
  const resident = process.memoryUsage.rss();
  if (resident < Math.max(COMFORTABLE_FOR_ROWS_BYTES, floorOfRows + MIN_GROWTH_OF_ROWS_BYTES)) return;
  Bun.gc(true);
  floorOfRows = process.memoryUsage.rss();
}
