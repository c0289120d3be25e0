import { SpreadsheetError } from './sheet-row.ts';

const FIRST_TEXTS = 4_096;
/** Maximum size of all shared texts as UTF-8: they are in memory while the sheet is read. */
const MAX_BYTES = 128 * 1024 * 1024;
/** Maximum number of bytes of a UTF-16 unit as UTF-8. */
const BYTES_OF_UNIT = 3;

/** A list of texts, in little more memory than their bytes. */
export class SharedTexts {
  readonly #bytes: Buffer;
  #ends = new Uint32Array(FIRST_TEXTS);
  #used = 0;
  #count = 0;

  /** `maxBytes`: the size of the document with the texts, which is larger than all of them. */
  constructor(maxBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.min(maxBytes, MAX_BYTES));
  }

  /** Adds a text. Throws SpreadsheetError if all texts together are too large. */
  add(text: string): void {
    const room = this.#bytes.length - this.#used;
    if (text.length * BYTES_OF_UNIT > room && Buffer.byteLength(text) > room)
      throw new SpreadsheetError('The spreadsheet has more than 128 MiB of different texts. Save it as "CSV UTF-8".');
    this.#used += this.#bytes.write(text, this.#used);
    if (this.#count === this.#ends.length) {
      const ends = new Uint32Array(2 * this.#count);
      ends.set(this.#ends);
      this.#ends = ends;
    }
    this.#ends[this.#count] = this.#used;
    this.#count += 1;
  }

  /** Returns a text by its position; undefined if there is none. */
  at(index: number): string | undefined {
    if (!(index >= 0 && index < this.#count)) return undefined;
    const start = index === 0 ? 0 : this.#ends[index - 1];
    return this.#bytes.toString('utf8', start, this.#ends[index]);
  }
}
