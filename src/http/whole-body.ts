import { noteStreamed } from '../base/release-memory.ts';

/**
 * The bytes of a stored file as a body that is sent whole. For a `Blob` of a file Bun answers `Range` by itself,
 * heeding no `If-Range`; so where a request has a range that is not to be answered, the body must not be the blob.
 * Bun sends a stream in chunks, without `Content-Length`.
 */
export function wholeBody(blob: Blob): ReadableStream<Uint8Array> {
  const reader = blob.stream().getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        noteStreamed(value.byteLength);
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
