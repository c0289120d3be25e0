/** The standard output of a command, truncated at its limit. */
export class CommandOutput {
  readonly maxBytes: number;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #bytes = 0;
  #isOver = false;

  constructor(stream: ReadableStream<Uint8Array>, maxBytes = Number.POSITIVE_INFINITY) {
    this.#reader = stream.getReader();
    this.maxBytes = maxBytes;
  }

  /** True if the output exceeded the limit. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Returns the next bytes; undefined at the end of the output and at the limit. Do not call it again after that. */
  async read(): Promise<Uint8Array | undefined> {
    const { value } = await this.#reader.read();
    if (value === undefined) return undefined;
    const room = this.maxBytes - this.#bytes;
    this.#isOver = value.byteLength > room;
    const part = this.#isOver ? value.subarray(0, room) : value;
    this.#bytes += part.byteLength;
    return this.#isOver && part.byteLength === 0 ? undefined : part;
  }

  /** Ends the output for its reader. */
  cancel(): void {
    void this.#reader.cancel();
  }
}
