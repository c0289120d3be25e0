import { malformed } from '../base/errors.ts';
import { bodyTooLarge } from './errors.ts';
import { declaredLength, type Source, streamSource } from './source.ts';

/**
 * The body of a POST as a source. Throws `malformed` without a body and `too-large` for a body
 * that declares itself larger than `maxBytes`, both before a byte is read.
 */
export function openUpload(
  request: Request,
  mediaType: string,
  { maxBytes, onBytes }: { maxBytes: number | undefined; onBytes(count: number): void },
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
      const first = await source.read();
      // A chunked body shows only now that it holds nothing.
      if (first === undefined) throw emptyUpload();
      this.read = source.read;
      return first;
    },
  };
}

function emptyUpload() {
  return malformed('The request has no body: send the file as the body of the POST.');
}
