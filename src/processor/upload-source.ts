import { malformed } from '../base/errors.ts';
import { bodyTooLarge } from './errors.ts';
import { declaredLength, type Source, streamSource } from './source.ts';

export interface UploadOptions {
  maxBytes: number | undefined;
  /** How long the body may take to begin, once it is asked for: till then it holds a slot for nothing. */
  timeoutSeconds: number;
  onBytes(count: number): void;
}

/**
 * The body of a POST as a source. Throws `malformed` without a body and `too-large` for a body
 * that declares itself larger than `maxBytes`, both before a byte is read.
 */
export function openUpload(
  request: Request,
  mediaType: string,
  { maxBytes, timeoutSeconds, onBytes }: UploadOptions,
): Source {
  const declaredBytes = declaredLength(request.headers);
  if (request.body === null || declaredBytes === 0) throw emptyUpload();
  if (maxBytes !== undefined && declaredBytes !== undefined && declaredBytes > maxBytes) throw bodyTooLarge(maxBytes);
  const source = streamSource(mediaType, request.body, {
    declaredBytes,
    maxBytes,
    onBytes,
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
      // A chunked body shows only now that it holds nothing.
      if (first === undefined) throw emptyUpload();
      this.read = source.read;
      return first;
    },
  };
}

function lateUpload(seconds: number) {
  return malformed(`The request body did not begin within ${seconds} seconds.`);
}

function emptyUpload() {
  return malformed('The request has no body: send the file as the body of the POST.');
}
