/** How many lines, and characters of each, are shown to someone who asks what a command had to say. */
const MAX_LINES = 4;
const MAX_LINE_CHARS = 200;

/**
 * The last lines of a text in one, each but once and without what is blank; undefined if there are none. The very last
 * one alone often tells only that there is no result: the reason stands before it.
 */
export function lastWords(text: string): string | undefined {
  const lines = new Set(text.split('\n').map((line) => line.trim()));
  lines.delete('');
  if (lines.size === 0) return undefined;
  // By characters, as half a surrogate pair is none.
  const shown = [...lines].slice(-MAX_LINES).map((line) => [...line].slice(0, MAX_LINE_CHARS).join(''));
  return shown.join('; ');
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
