import type { ServiceError } from '../base/errors.ts';
import { noteStreamed } from '../base/release-memory.ts';
import { bodyTooLarge } from './errors.ts';

/** A file on its way in: read chunk by chunk, ended early by `cancel`. */
export interface Source {
  /** Lower case, without parameters; undefined for a request with neither a file nor a type. */
  mediaType: string | undefined;
  /** The next bytes, or undefined at the true end. Throws a ServiceError if there will be no such end. */
  read(): Promise<Uint8Array | undefined>;
  /** Ends the transfer. Safe to call more than once, at any time. */
  cancel(): Promise<void>;
}

export interface SourceLimits {
  /** What the sender said it would send, if it did. */
  declaredBytes: number | undefined;
  maxBytes: number | undefined;
  /** Told of every byte that arrives. */
  onBytes(count: number): void;
  /** Turns a broken transfer into the failure to report. */
  broken(cause: unknown): ServiceError;
}

/**
 * A source over a stream. What it hands out is whole: a body that ends before its declared length,
 * breaks, or grows past `maxBytes` is a failure and never an end (design: Bun's `fetch` may take a
 * short body for a complete one, so the bytes are counted here).
 */
export function streamSource(
  mediaType: string,
  stream: ReadableStream<Uint8Array>,
  { declaredBytes, maxBytes, onBytes, broken }: SourceLimits,
): Source {
  const reader = stream.getReader();
  let received = 0;
  return {
    mediaType,
    async read() {
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
      noteStreamed(value.byteLength);
      if (maxBytes !== undefined && received > maxBytes) throw bodyTooLarge(maxBytes);
      return value;
    },
    async cancel() {
      // A stream that already failed rejects its cancellation with the failure that was reported before.
      await reader.cancel().catch(() => undefined);
    },
  };
}

/** A source with nothing in it. */
export function emptySource(mediaType: string | undefined): Source {
  return { mediaType, read: async () => undefined, cancel: async () => undefined };
}

/** The value of a `Content-Length` header, or undefined if there is none or it is no length. */
export function declaredLength(headers: Headers): number | undefined {
  const value = headers.get('content-length');
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}
