import { Readable } from 'node:stream';
import { RandomAccessReader } from 'yauzl';

/** Returns a part of a stored file. Both positions are included. */
export type ReadPart = (first: number, last: number) => Promise<Uint8Array>;

/** The directory of 400 megapixels at the end of a pack, and more than the ZIP library searches for its beginning. */
const WINDOW_BYTES = 256 * 1024;

/**
 * Reads a ZIP archive in a storage for the ZIP library, which asks for a few bytes at a time: it reads ahead, and first
 * the end, where the directory is.
 */
export class PackReader extends RandomAccessReader {
  /** The error of the storage, which the ZIP library would wrap. */
  failure: unknown;
  readonly #read: ReadPart;
  readonly #bytes: number;
  #start = 0;
  #window: Uint8Array = new Uint8Array(0);

  constructor(read: ReadPart, bytes: number) {
    super();
    this.#read = read;
    this.#bytes = bytes;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (err: Error | null) => void,
  ) {
    this.#copy(buffer, offset, length, position).then(
      () => callback(null),
      (error: Error) => callback(error),
    );
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const part = Buffer.alloc(end - start);
    const whole = this.#copy(part, 0, part.byteLength, start).then(() => part);
    return Readable.from(
      (async function* () {
        yield await whole;
      })(),
    );
  }

  async #copy(buffer: Buffer, offset: number, length: number, position: number): Promise<void> {
    const isInWindow = position >= this.#start && position + length <= this.#start + this.#window.byteLength;
    if (!isInWindow) await this.#fill(position, length);
    const from = position - this.#start;
    buffer.set(this.#window.subarray(from, from + length), offset);
  }

  async #fill(position: number, length: number): Promise<void> {
    if (position < 0 || position + length > this.#bytes) throw new Error('it is truncated');
    const start = Math.min(position, Math.max(0, this.#bytes - WINDOW_BYTES));
    const last = Math.min(this.#bytes, Math.max(start + WINDOW_BYTES, position + length)) - 1;
    try {
      this.#window = await this.#read(start, last);
    } catch (error) {
      this.failure = error;
      throw error;
    }
    this.#start = start;
    if (this.#window.byteLength !== last - start + 1) throw new Error('it is truncated');
  }
}
