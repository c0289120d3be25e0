import { ServiceError } from '../../base/errors.ts';
import { noteStreamed } from '../../base/release-memory.ts';
import type { Services } from '../../repository/content/services.ts';

/**
 * Returns the bytes of a file as a stream from its storage. An error aborts the response, so that the client notices that
 * it is incomplete, and is logged with the URI of the file.
 */
export function storedBody(services: Services, uri: string, bytes: ReadableStream<Uint8Array>) {
  const reader = bytes.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          services.warn(`the download of ${uri} was interrupted`, error);
          // Bun prints an error passed here.
          controller.error(undefined);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/**
 * Returns a stored file as a stream that Bun sends as a whole. Bun applies `Range` to the `Blob` of a file without
 * checking `If-Range`. It sends a stream in chunks, without `Content-Length`.
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
