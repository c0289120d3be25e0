import { ServiceError } from '../../base/errors.ts';
import type { FilePart } from '../../http/read-multipart.ts';

/** Returns the bytes of a file of a form. Throws `too-large` above the maximum of the server. */
export async function* limited(
  { fileName, bytes }: FilePart,
  maxBytes: number | undefined,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of bytes) {
    read += chunk.byteLength;
    if (maxBytes !== undefined && read > maxBytes)
      throw new ServiceError('too-large', `${fileName.slice(0, 100)} has more than ${maxBytes} bytes, the maximum.`);
    yield chunk;
  }
}
