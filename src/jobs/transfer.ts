import { timedOut } from './connection-failure.ts';

/**
 * The time that a call may take: it ends with its last byte, at its time limit, or when the caller's signal says so.
 * Throws the reason of a signal that has been aborted before.
 */
export class Transfer {
  /** Whether the first byte has come. */
  hasBegun = false;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #timer: Timer;
  readonly #onAbort = () => void this.fail(this.#caller.reason);

  constructor({ signal, timeoutSeconds }: { signal: AbortSignal; timeoutSeconds: number }, processor: string) {
    signal.throwIfAborted();
    this.#caller = signal;
    signal.addEventListener('abort', this.#onAbort);
    const onTime = () => void this.fail(timedOut(processor, timeoutSeconds, this.hasBegun));
    this.#timer = setTimeout(onTime, timeoutSeconds * 1000);
  }

  /** Aborts when the transfer ends in any other way than by its last byte. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends it with an error. Returns the one it ended with, which is an earlier one if there was one. */
  fail(error: unknown): unknown {
    this.finish();
    this.#controller.abort(error);
    return this.signal.reason;
  }

  /** It is complete, and nothing can end it any more. */
  finish(): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener('abort', this.#onAbort);
  }
}
