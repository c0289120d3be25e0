/** How many characters of a line are shown to someone who asks what a command had to say. */
const MAX_LINE_CHARS = 500;

/** The last line of a text that is not blank, without blanks around it and cut if it is long; undefined if there is none. */
export function lastLine(text: string): string | undefined {
  const line = text
    .split('\n')
    .map((each) => each.trim())
    .findLast((each) => each !== '');
  // By characters, as half a surrogate pair is none.
  return line === undefined ? undefined : [...line].slice(0, MAX_LINE_CHARS).join('');
}

/** Keeps the last bytes of a stream that may be far longer. */
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

  /** What was kept, as text for a log: without a character cut in half at the start, control characters as a dot. */
  toString(): string {
    const text = this.#kept.toString('utf8').replace(/^\ufffd+/, '');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]+/g, '·').trimEnd();
  }
}
