/**
 * How many bytes may pass between two collections. Each chunk of a stream leaves a buffer behind, and
 * the collector, which sees a small heap, waits with them: 2 GiB through `cat` then take 200 to 300 MB
 * of memory. Collecting every so often keeps it under 150 MB and costs a few milliseconds each time.
 */
const BYTES_BETWEEN_COLLECTIONS = 256 * 1024 * 1024;

let streamedBytes = 0;

/** Notes that a chunk has been streamed, and returns the memory of many when it is time. */
export function noteStreamed(bytes: number): void {
  streamedBytes += bytes;
  if (streamedBytes < BYTES_BETWEEN_COLLECTIONS) return;
  streamedBytes = 0;
  Bun.gc(true);
}
