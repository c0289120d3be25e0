import { Tail } from './tail.ts';

const TAIL_BYTES = 4 * 1024;
/** The delay before standard error is read; that of a shorter command is read at its end. */
const DELAY_MS = 50;
/** Maximum time for which standard error may stay open after the command has ended. */
const GRACE_MS = 1_000;

/** Reads the standard error of a command and keeps the end of it. */
export class StderrTail {
  readonly #tail = new Tail(TAIL_BYTES);
  /** Resolves at the end of standard error. */
  readonly closed: Promise<void>;

  constructor(stream: ReadableStream<Uint8Array>, exited: Promise<unknown>) {
    this.closed = this.#collect(stream, exited);
  }

  toString(): string {
    return this.#tail.toString();
  }

  async #collect(stream: ReadableStream<Uint8Array>, exited: Promise<unknown>): Promise<void> {
    // Bun allocates a buffer of 256 KiB as soon as there is a reader, and most commands write nothing. Thousands of
    // these buffers between collections fragment the heap, so the output first stays in the pipe.
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
    // The command may also end later than its standard error.
    void exited.then(() => clearTimeout(grace));
  }
}
