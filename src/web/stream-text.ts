import { recordOf } from '../http/request-log.ts';
import type { Call } from './call.ts';

/**
 * Returns a text as a stream of the parts that a generator yields, read as the client reads them. An error aborts the
 * response, so that the client notices that it is incomplete.
 */
export function streamText(call: Call, parts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  recordOf(call.request).allowSilence();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await parts.next();
          if (next.done) controller.close();
          else controller.enqueue(encoder.encode(next.value));
        } catch (error) {
          call.api.services.warn('a streamed response was interrupted', error);
          controller.error(error);
        }
      },
      async cancel() {
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
