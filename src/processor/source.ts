import type { ServiceError } from '../base/errors.ts';
import { freeChunk } from '../base/free-chunk.ts';
import { noteStreamed } from '../base/release-memory.ts';
import { bodyTooLarge } from './errors.ts';

/** A file that is read chunk by chunk. */
export interface Source {
  /** Lower case, without parameters; undefined for a request with neither a file nor a type. */
  mediaType: string | undefined;
  /**
   * Returns the next bytes, which are valid until the next call; undefined at the true end. Throws a ServiceError for
   * an incomplete source.
   */
  read(): Promise<Uint8Array | undefined>;
  /** Ends the transfer. Safe to call more than once, at any time. */
  cancel(): Promise<void>;
}

export interface SourceLimits {
  /** The declared length, if any. */
  declaredBytes: number | undefined;
  maxBytes: number | undefined;
  /** True for a stream from the network, whose chunks are freed after use. The stream of a file uses its buffers again. */
  isFromNetwork: boolean;
  /** Called with the length of each chunk. */
  onBytes(count: number): void;
  /** Returns the failure for an interrupted transfer. */
  broken(cause: unknown): ServiceError;
}

/**
 * Creates a source from a stream. A body that ends before its declared length, is interrupted, or exceeds `maxBytes` is a
 * failure and never an end. The bytes are counted because Bun's `fetch` may take a truncated body for a complete one.
 */
export function streamSource(
  mediaType: string,
  stream: ReadableStream<Uint8Array>,
  { declaredBytes, maxBytes, isFromNetwork, onBytes, broken }: SourceLimits,
): Source {
  const reader = stream.getReader();
  let received = 0;
  let last: Uint8Array | undefined;
  return {
    mediaType,
    async read() {
      if (last !== undefined) freeChunk(last);
      last = undefined;
      let result: { done: boolean; value?: Uint8Array | undefined };
      try {
        result = await reader.read();
      } catch (cause) {
        throw broken(cause);
      }
      const { value } = result;
      if (value === undefined) {
        if (declaredBytes !== undefined && received < declaredBytes) {
          throw broken(new Error(`${received} of ${declaredBytes} bytes arrived`));
        }
        return undefined;
      }
      received += value.byteLength;
      onBytes(value.byteLength);
      if (isFromNetwork) last = value;
      else noteStreamed(value.byteLength);
      if (maxBytes !== undefined && received > maxBytes) throw bodyTooLarge(maxBytes);
      return value;
    },
    async cancel() {
      // A failed stream rejects its cancellation with the failure that was thrown before.
      await reader.cancel().catch(() => undefined);
    },
  };
}

/** Creates an empty source. */
export function emptySource(mediaType: string | undefined): Source {
  return { mediaType, read: async () => undefined, cancel: async () => undefined };
}

/** Returns the value of a `Content-Length` header; undefined if it is missing or invalid. */
export function declaredLength(headers: Headers): number | undefined {
  const value = headers.get('content-length');
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}
