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
