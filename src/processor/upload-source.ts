import { malformed, type ServiceError } from '../base/errors.ts';
import { type UploadRate, watchRate } from '../base/upload-rate.ts';
import { bodyTooLarge } from './errors.ts';
import { declaredLength, emptySource, type Source, streamSource } from './source.ts';

interface UploadOptions {
  maxBytes: number | undefined;
  isFromNetwork: boolean;
  /** Maximum wait for the first byte of the body, which holds a slot meanwhile. */
  timeoutSeconds: number;
  /** Minimum rate after the first byte. */
  minRate: UploadRate;
  onBytes(count: number): void;
}

/** Returns the body of a POST as a source; it may be empty. Throws `too-large` for a declared length above `maxBytes`. */
export function openUpload(
  request: Request,
  mediaType: string,
  { maxBytes, isFromNetwork, timeoutSeconds, minRate, onBytes }: UploadOptions,
): Source {
  const declaredBytes = declaredLength(request.headers);
  if (request.body === null || declaredBytes === 0) return emptySource(mediaType);
  if (maxBytes !== undefined && declaredBytes !== undefined && declaredBytes > maxBytes) throw bodyTooLarge(maxBytes);
  let slow: ServiceError | undefined;
  const watch = watchRate(minRate, (failure) => {
    slow = failure;
    void source.cancel();
  });
  const source = streamSource(mediaType, request.body, {
    declaredBytes,
    maxBytes,
    isFromNetwork,
    onBytes(count) {
      watch.add(count);
      onBytes(count);
    },
    broken: (cause) => malformed('The request body ended before it was complete.', cause),
  });
  return {
    ...source,
    async read() {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        void source.cancel();
      }, timeoutSeconds * 1000);
      let first: Uint8Array | undefined;
      try {
        first = await source.read();
      } catch (error) {
        throw isLate ? lateUpload(timeoutSeconds) : error;
      } finally {
        clearTimeout(timer);
      }
      if (isLate) throw lateUpload(timeoutSeconds);
      this.read = readAtRate;
      return first;
    },
    async cancel() {
      watch.end();
      await source.cancel();
    },
  };

  async function readAtRate(): Promise<Uint8Array | undefined> {
    try {
      const chunk = await watch.listen(source.read());
      if (slow !== undefined) throw slow;
      return chunk;
    } catch (error) {
      throw slow ?? error;
    }
  }
}

function lateUpload(seconds: number) {
  return malformed(`The request body did not begin within ${seconds} seconds.`);
}
