const TAIL_BYTES = 4 * 1024;
/** The delay before standard error is read; that of a shorter command is read at its end. */
const DELAY_MS = 50;
/** Maximum time for which standard error may stay open after the command has ended. */
const GRACE_MS = 1_000;
/** Maximum length of the line that `lastLine` returns. */
const MAX_LINE_CHARS = 500;

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

/** Keeps the last bytes of a stream. */
export class Tail {
  readonly #maxBytes: number;
  #kept = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Uint8Array): void {
    const end = chunk.byteLength > this.#maxBytes ? chunk.subarray(-this.#maxBytes) : chunk;
    const room = this.#maxBytes - end.byteLength;
    const before = this.#kept.byteLength > room ? this.#kept.subarray(this.#kept.byteLength - room) : this.#kept;
    this.#kept = Buffer.concat([before, end]);
  }

  /** Returns the kept bytes as text for a log: without a truncated first character, control characters as a dot. */
  toString(): string {
    const text = this.#kept.toString('utf8').replace(/^\ufffd+/, '');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
    return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]+/g, '·').trimEnd();
  }
}

/** Returns the last line of a text that is not blank, trimmed and truncated; undefined if there is none. */
export function lastLine(text: string): string | undefined {
  const line = text
    .split('\n')
    .map((each) => each.trim())
    .findLast((each) => each !== '');
  // By characters: half a surrogate pair is invalid.
  return line === undefined ? undefined : [...line].slice(0, MAX_LINE_CHARS).join('');
}
