import { ServiceError } from '../../base/errors.ts';
import { noteStreamed } from '../../base/release-memory.ts';
import { recordOf } from '../../http/request-log.ts';
import type { Services } from '../../repository/content/services.ts';
import type { ReadPart } from '../../storage/small-objects.ts';

/**
 * Returns what was read of a file as the body of a response, which may take as long as a slow client needs. `isRange` is
 * true if the request asks for this part only.
 */
export function sentBody(
  services: Services,
  request: Request,
  { body, isInMemory }: ReadPart,
  { uri, isRange }: { readonly uri: string; readonly isRange: boolean },
): Blob | ReadableStream<Uint8Array> {
  if (isInMemory) return body;
  // A slow client causes silence on the connection while its buffers are full.
  recordOf(request).allowSilence();
  if (!(body instanceof Blob)) return storedBody(services, uri, body);
  // Bun applies `Range` to the blob of a file, even if the range must be ignored.
  return !isRange && request.headers.has('range') ? wholeBody(body) : body;
}

/**
 * Returns the bytes of a file as a stream from its storage. An error aborts the response, so that the client notices that
 * it is incomplete, and is logged with the URI of the file.
 */
function storedBody(services: Services, uri: string, bytes: ReadableStream<Uint8Array>) {
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
