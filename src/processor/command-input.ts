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
