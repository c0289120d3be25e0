import { malformed, ServiceError } from '../base/errors.ts';

/**
 * Reads the body of a request as text. Throws `too-large` beyond `maxBytes` without reading further, and `malformed` for a
 * body that is not UTF-8 or shorter than declared.
 */
export async function readBodyText(request: Request, maxBytes: number): Promise<string> {
  const declared = request.headers.get('content-length');
  if (Number(declared ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return '';
  const bytes = declared === null ? await readLimited(request.body, maxBytes) : await readWhole(request);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw malformed('The body of the request is not UTF-8.', error);
  }
}

/** Reads a body of declared length at once, which is much faster than reading chunks. */
async function readWhole(request: Request): Promise<Uint8Array> {
  try {
    return await request.bytes();
  } catch (error) {
    throw incomplete(error);
  }
}

async function readLimited(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw incomplete(error);
  }
  if (bytes > maxBytes) throw tooLarge(maxBytes);
  return Buffer.concat(chunks);
}

function incomplete(cause: unknown): ServiceError {
  return malformed('The body of the request ended before it was complete.', cause);
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('too-large', `The body of the request is larger than ${maxBytes} bytes.`);
}
