import { codeOf } from '../base/errors.ts';

/** The standard input of a command. */
export class CommandInput {
  readonly #sink: Bun.FileSink;
  #isWriting = false;

  constructor(sink: Bun.FileSink) {
    this.#sink = sink;
  }

  /** True while a chunk waits for the command to read it. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** Writes a chunk at the pace of the command. Returns false if the command no longer reads. */
  async write(chunk: Uint8Array): Promise<boolean> {
    this.#isWriting = true;
    try {
      const written = this.#sink.write(chunk);
      if (typeof written !== 'number') await written;
      const flushed = this.#sink.flush();
      if (typeof flushed !== 'number') await flushed;
      return true;
    } catch (error) {
      if (codeOf(error) !== 'EPIPE') throw error;
      return false;
    } finally {
      this.#isWriting = false;
    }
  }

  /** Closes the input: the command reads its end. */
  async close(): Promise<void> {
    try {
      await this.#sink.end();
    } catch (error) {
      if (codeOf(error) !== 'EPIPE') throw error;
    }
  }
}

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
