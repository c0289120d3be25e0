import { Cache } from '../base/cache.ts';
import type { ByteRange, Storage } from './storage.ts';

/** Larger parts are worth a stream, and would displace hundreds of small ones. */
const MAX_PART_BYTES = 64 * 1024;
const MAX_BYTES = 32 * 1024 * 1024;

/** The part of an object that a client receives. */
interface PartRequest {
  readonly key: string;
  /** Default: the whole object. */
  readonly range?: ByteRange | undefined;
  /** The size of the whole object, in bytes. */
  readonly bytes: number;
}

/** The bytes of a response. A socket takes those in memory at once. */
export type ReadPart = StoredPart | MemoryPart;

interface StoredPart {
  readonly body: Blob | ReadableStream<Uint8Array>;
  readonly isInMemory: false;
}

interface MemoryPart {
  readonly body: Blob;
  readonly isInMemory: true;
}

/**
 * Reads an object, or a part of it, for a response: thumbnails and tiles from memory, anything larger from the storage.
 * Throws as `Storage.read` does.
 */
export type ReadForResponse = (storage: Storage, part: PartRequest) => Promise<ReadPart>;

/**
 * Creates a reader that keeps small parts in memory: an object never changes under its key. Checks of stored files must
 * not use it, since it does not notice that an object is damaged or lost.
 */
export function createReadForResponse(): ReadForResponse {
  const parts = new Cache<MemoryPart>({ maxBytes: MAX_BYTES, bytesOf: ({ body }) => body.size });
  return async (storage, { key, range, bytes }) => {
    const length = range === undefined ? bytes : range.last - range.first + 1;
    if (length > MAX_PART_BYTES) return { body: await storage.read(key, range, bytes), isInMemory: false };
    const name = range === undefined ? key : `${key} ${range.first}-${range.last}`;
    const known = parts.get(name);
    if (known !== undefined) return known;
    const stored = await new Response(await storage.read(key, range, bytes)).bytes();
    const part: MemoryPart = { body: new Blob([stored]), isInMemory: true };
    if (stored.byteLength === length) parts.set(name, part);
    return part;
  };
}
