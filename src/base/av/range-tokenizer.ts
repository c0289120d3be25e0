import { setImmediate } from 'node:timers/promises';
import { AbstractTokenizer, EndOfStreamError, type IFileInfo, type IReadChunkOptions } from 'strtok3';
import type { ReadAt } from '../images/byte-source.ts';

/** The minimum size of a read: the next read is usually near. */
const WINDOW_BYTES = 64 * 1024;
/** The maximum size of all reads of a file: enough for the index of a long film and embedded pictures. */
const MAX_READ_BYTES = 32 * 1024 * 1024;
/** The maximum number of reads of a file. */
const MAX_READS = 256;
/** The maximum number of values that are parsed: damaged files have parsers try each byte. */
const MAX_VALUES = 50_000;
/** The number of values after which other requests proceed. */
const VALUES_AT_ONCE = 2_000;

/** A tokenizer with the error of the storage, which the parser may hide. */
interface RangeSource {
  readonly tokenizer: AbstractTokenizer;
  readonly failure: () => { readonly error: unknown } | undefined;
  /** Ends the file here, because the rest is not wanted. */
  readonly stop: () => void;
}

/** Creates a tokenizer that reads a file in ranges. Beyond one of the limits above the file appears to end. */
export function createRangeTokenizer(bytes: number, mimeType: string, readAt: ReadAt): RangeSource {
  const tokenizer = new RangeTokenizer({ size: bytes, mimeType }, readAt);
  return { tokenizer, failure: () => tokenizer.failure, stop: tokenizer.stop };
}

class RangeTokenizer extends AbstractTokenizer {
  readonly fileInfo: IFileInfo & { readonly size: number };
  readonly #readAt: ReadAt;
  failure: { readonly error: unknown } | undefined;
  #window = new Uint8Array(0);
  #windowStart = 0;
  #values = 0;
  #reads = 0;
  #readBytes = 0;

  constructor(fileInfo: { readonly size: number; readonly mimeType: string }, readAt: ReadAt) {
    super();
    this.fileInfo = { ...fileInfo };
    this.#readAt = readAt;
  }

  readonly stop = (): void => {
    this.#values = MAX_VALUES;
  };

  supportsRandomAccess(): boolean {
    return true;
  }

  setPosition(position: number): void {
    this.position = position;
  }

  async readBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { position, ...rest } = this.normalizeOptions(target, options);
    const count = await this.peekBuffer(target, { position, ...rest });
    this.position = position + count;
    return count;
  }

  async peekBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { position, length, mayBeLess } = this.normalizeOptions(target, options);
    const wanted = Math.max(0, Math.min(this.fileInfo.size - position, length));
    const bytes = await this.#bytesAt(position, wanted);
    if (bytes.byteLength < length && !mayBeLess) throw new EndOfStreamError();
    target.set(bytes);
    return bytes.byteLength;
  }

  async #bytesAt(position: number, length: number): Promise<Uint8Array> {
    this.#values += 1;
    if (this.#values > MAX_VALUES) return new Uint8Array(0);
    if (this.#values % VALUES_AT_ONCE === 0) await setImmediate();
    const isInWindow =
      position >= this.#windowStart && position + length <= this.#windowStart + this.#window.byteLength;
    if (!isInWindow) {
      const size = Math.max(length, WINDOW_BYTES);
      this.#reads += 1;
      this.#readBytes += size;
      if (this.#reads > MAX_READS || this.#readBytes > MAX_READ_BYTES) return new Uint8Array(0);
      try {
        this.#window = new Uint8Array(await this.#readAt(position, size));
      } catch (error) {
        this.failure = { error };
        throw error;
      }
      this.#windowStart = position;
    }
    return this.#window.subarray(position - this.#windowStart, position - this.#windowStart + length);
  }
}
