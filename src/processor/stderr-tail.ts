import { Tail } from './tail.ts';

const TAIL_BYTES = 4 * 1024;
/** How long a command runs before its standard error is read along; a shorter one's is read at its end. */
const DELAY_MS = 50;
/** How long standard error may stay open after the command has ended. */
const GRACE_MS = 1_000;

/** Reads what a command writes to standard error, and keeps the end of it. */
export class StderrTail {
  readonly #tail = new Tail(TAIL_BYTES);
  /** Resolves when it was read to its end. */
  readonly closed: Promise<void>;

  constructor(stream: ReadableStream<Uint8Array>, exited: Promise<unknown>) {
    this.closed = this.#collect(stream, exited);
  }

  toString(): string {
    return this.#tail.toString();
  }

  async #collect(stream: ReadableStream<Uint8Array>, exited: Promise<unknown>): Promise<void> {
    // Taking the reader makes Bun read ahead into a buffer of 256 KiB, and most commands have nothing to
    // say. A thousand of those between collections scatter the heap; so the pipe itself keeps it a while.
    const delay = Promise.withResolvers<void>();
    const timer = setTimeout(delay.resolve, DELAY_MS);
    await Promise.race([exited, delay.promise]);
    clearTimeout(timer);
    const reader = stream.getReader();
    let grace: Timer | undefined;
    void exited.then(() => {
      grace = setTimeout(() => void reader.cancel(), GRACE_MS);
    });
    for (;;) {
      const { value } = await reader.read();
      if (value === undefined) break;
      this.#tail.add(value);
    }
    // Also where the command ends later than its standard error does.
    void exited.then(() => clearTimeout(grace));
  }
}
