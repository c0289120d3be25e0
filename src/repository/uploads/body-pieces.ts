import { freeChunk } from '../../base/free-chunk.ts';
import type { SilenceGuard } from '../files/silence-guard.ts';

/** Maximum time for which a slow sender fills one piece: a killed process loses what is not stored yet. */
const MAX_PIECE_MS = 20_000;

/** A body that is read in pieces. */
export interface BodyPieces {
  /** Waits for the next bytes. Returns false at the end of the body, also at an early one. */
  hasMore(): Promise<boolean>;
  /** Yields the next bytes, at most `maxBytes`. Ends early with the body, and for a slow sender after some seconds. */
  next(maxBytes: number): AsyncGenerator<Uint8Array, void, void>;
  /** The reason why the body ended early: a lost connection, an abort, a slow sender. Undefined if it did not. */
  readonly failure: { readonly error: unknown } | undefined;
  /** Stops reading. */
  end(): Promise<void>;
}

/**
 * Splits a body into pieces. A body that ends early is no error here: the pieces end with it, so that the bytes before
 * that can be stored. `isFromNetwork` as in `IncomingFile`.
 */
export function createBodyPieces(
  body: AsyncIterable<Uint8Array>,
  guard: SilenceGuard,
  isFromNetwork: boolean,
): BodyPieces {
  const chunks = body[Symbol.asyncIterator]();
  let whole: Uint8Array | undefined;
  let rest = new Uint8Array(0);
  let hasEnded = false;
  let failure: BodyPieces['failure'];
  // One listener serves all chunks, which may be thousands.
  let giveUp: ((reason: unknown) => void) | undefined;
  const onAbort = () => giveUp?.(guard.signal.reason);
  guard.signal.addEventListener('abort', onAbort, { once: true });

  const receive = () =>
    new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
      giveUp = reject;
      chunks.next().then(resolve, reject);
      if (guard.signal.aborted) onAbort();
    });
  const hasMore = async () => {
    while (rest.byteLength === 0 && !hasEnded) {
      if (whole !== undefined && isFromNetwork) freeChunk(whole);
      whole = undefined;
      try {
        const { done, value } = await guard.listen(receive());
        if (done) hasEnded = true;
        else {
          guard.add(value.byteLength);
          whole = value;
          rest = value as Uint8Array<ArrayBuffer>;
        }
      } catch (error) {
        failure = { error };
        hasEnded = true;
      }
    }
    return rest.byteLength > 0;
  };
  return {
    hasMore,
    async *next(maxBytes) {
      const until = performance.now() + MAX_PIECE_MS;
      for (let left = maxBytes; left > 0 && performance.now() < until && (await hasMore()); ) {
        const part = rest.subarray(0, left);
        rest = rest.subarray(part.byteLength);
        left -= part.byteLength;
        yield part;
      }
    },
    get failure() {
      return failure;
    },
    async end() {
      guard.signal.removeEventListener('abort', onAbort);
      // Without waiting: a source that hangs would delay the answer.
      if (!hasEnded || failure !== undefined) chunks.return?.().catch(() => undefined);
    },
  };
}
