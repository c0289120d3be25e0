import { noteStreamed } from '../base/release-memory.ts';
import type { StoredBytes } from '../storage/storage.ts';

/** Reads a stream to its end. */
export async function hashOf(source: AsyncIterable<Uint8Array>): Promise<StoredBytes> {
  const hasher = new Bun.CryptoHasher('sha256');
  let bytes = 0;
  for await (const chunk of source) {
    hasher.update(chunk);
    bytes += chunk.byteLength;
    noteStreamed(chunk.byteLength);
  }
  return { bytes, sha256: hasher.digest('hex') };
}
