import { ServiceError } from '../../base/errors.ts';
import type { Services } from '../../repository/content/services.ts';

/**
 * Bytes that come from a store while they are sent. What fails in between cuts the answer off, so that it is not taken
 * for whole, and is told to the operator with the URI of the file.
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
          services.warn(`${uri} broke off while it was sent`, error);
          // Bun prints an error that is given here.
          controller.error(undefined);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
