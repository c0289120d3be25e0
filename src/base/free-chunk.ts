/**
 * Frees the memory of a chunk that has no reader left (decision 4). The garbage collector counts only a small heap
 * while buffers of 64 KiB and more pile up. A view of a part of a buffer stays: the rest may still be in use.
 */
export function freeChunk(chunk: Uint8Array): void {
  const { buffer } = chunk;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength) buffer.transfer(0);
}
