import { setTimeout } from 'node:timers/promises';
import { type FileAnswer, requestFile, TransferFailure } from './request-file.ts';

/** Waits before a request is repeated after some failures. Returns false to give up. Throws the reason of the signal. */
export type Pause = (failures: number, signal: AbortSignal) => Promise<boolean>;

/** The number of failures without a byte between them after which a download fails. */
const MAX_FAILURES = 5;
const FIRST_PAUSE_MS = 500;

/** Waits half a second after the first failure, and twice as long after each further one. */
export async function pauseBeforeRetry(failures: number, signal: AbortSignal): Promise<boolean> {
  if (failures >= MAX_FAILURES) return false;
  try {
    await setTimeout(FIRST_PAUSE_MS * 2 ** (failures - 1), undefined, { signal });
    return true;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

interface BodyOptions {
  readonly allowed: readonly URL[];
  /** True if the reader compares a checksum. */
  readonly isVerified: boolean;
  readonly signal: AbortSignal;
  readonly pause: Pause;
}

/**
 * Reads the file at an address. After an interruption it requests the missing bytes of the same version (RFC 9110, 14).
 * Throws TransferFailure if the file cannot be completed, and the reason of the signal.
 */
export async function* resumedBody(address: URL, options: BodyOptions): AsyncGenerator<Uint8Array, void, void> {
  const { allowed, isVerified, signal, pause } = options;
  let [received, failures] = [0, 0];
  let validator: string | undefined;
  for (;;) {
    let answer: FileAnswer | undefined;
    try {
      answer = await requestFile(address, { allowed, signal, ...rangeFrom(received, validator) });
      const skipped = requireContinued(answer, received, validator, isVerified);
      validator ??= answer.validator;
      let position = answer.start;
      for (let chunk = await answer.read(); chunk !== undefined; chunk = await answer.read()) {
        const missing = Math.max(0, skipped - position);
        position += chunk.byteLength;
        if (position <= skipped) continue;
        // A copy: the reader frees the whole buffer of what it gets.
        const part = missing > 0 ? chunk.slice(missing) : chunk;
        received += part.byteLength;
        failures = 0;
        yield part;
      }
      // The runtime may take a truncated body for a complete one.
      if (answer.totalBytes === undefined || position === answer.totalBytes) return;
      throw new TransferFailure(`it ended after ${position} of ${answer.totalBytes} bytes`, false);
    } catch (error) {
      if (!(error instanceof TransferFailure) || error.isFinal) throw error;
      failures += 1;
      if (received > 0 && validator === undefined && !isVerified)
        throw new TransferFailure(`${error.message}, and it cannot be continued without an ETag or a checksum`, true);
      if (!(await pause(failures, signal))) throw error;
    } finally {
      await answer?.cancel();
    }
  }
}

function rangeFrom(received: number, validator: string | undefined) {
  return received === 0 ? {} : { range: `bytes=${received}-`, ifRange: validator };
}

/**
 * Returns the position of the first wanted byte of an answer, which may have earlier ones. Throws TransferFailure unless
 * it continues the same file.
 */
function requireContinued(
  { status, start, validator, failure }: FileAnswer,
  received: number,
  expected: string | undefined,
  isVerified: boolean,
): number {
  if (received === 0 && status === 200) return 0;
  const isPart = received > 0 && status === 206 && start === received;
  const isWhole = received > 0 && status === 200;
  if (!isPart && !isWhole && status !== 416) throw failure();
  const isSame = expected === undefined ? isVerified : validator === undefined || validator === expected;
  // A server without ranges answers with the whole file, as one does whose file has changed.
  const isKnown = isPart ? isSame : isVerified || (expected !== undefined && validator === expected);
  if (status !== 416 && isKnown) return received;
  throw new TransferFailure('it was changed during the download', true);
}
