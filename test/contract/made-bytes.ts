/** SHA-256 in lower-case hexadecimal. */
export const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

/** Bytes that differ everywhere, so that a part that is lost or doubled changes the checksum. */
export function madeBytes(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let i = 0, x = seed; i < words.length; i++) {
    x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d) + i;
    words[i] = x;
  }
  return new Uint8Array(words.buffer, 0, length);
}

export async function* streamOf(bytes: Uint8Array, chunkBytes = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

/** The bytes of what `read` answered. */
export async function bytesOf(body: Blob | ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(body).arrayBuffer());
}
