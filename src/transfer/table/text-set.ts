import { hash } from 'bun';

const FIRST_BYTES = 64 * 1024;
const FIRST_TEXTS = 1024;
/** The most bytes of UTF-8 for one unit of UTF-16. */
const BYTES_PER_UNIT = 3;

/**
 * Distinct texts, numbered from 0 in the order in which they came. A text takes about 16 bytes beside its UTF-8, where a map of
 * strings takes some 150: a table may have millions of rows.
 */
export class TextSet {
  readonly #encoder = new TextEncoder();
  /** The texts one after another, in UTF-8. */
  #bytes = Buffer.alloc(FIRST_BYTES);
  /** The end of each text in `#bytes`. */
  #ends = new Uint32Array(FIRST_TEXTS);
  #size = 0;
  /** Numbers of texts plus 1, at the place of their hash or the next free one; 0 for a free place. At most half are used. */
  #places = new Uint32Array(2 * FIRST_TEXTS);

  get size(): number {
    return this.#size;
  }

  /** Returns the number of a text, which is added unless it is there. */
  add(text: string): number {
    const end = this.#append(text);
    const place = this.#placeOf(end);
    const known = this.#places[place] as number;
    if (known > 0) return known - 1;
    this.#ends[this.#size] = end;
    this.#size += 1;
    this.#places[place] = this.#size;
    if (this.#size === this.#ends.length) this.#grow();
    return this.#size - 1;
  }

  /** Returns the number of a text; undefined if it is missing. */
  find(text: string): number | undefined {
    const known = this.#places[this.#placeOf(this.#append(text))] as number;
    return known > 0 ? known - 1 : undefined;
  }

  /** Returns the text with a number. */
  at(number: number): string {
    return this.#bytes.toString('utf8', this.#startOf(number), this.#ends[number]);
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : (this.#ends[number - 1] as number);
  }

  /** Writes a text behind the others, where it stays only if `add` counts it. Returns its end. */
  #append(text: string): number {
    const start = this.#startOf(this.#size);
    const needed = start + text.length * BYTES_PER_UNIT;
    if (needed > this.#bytes.byteLength) {
      const larger = Buffer.alloc(Math.max(needed, 2 * this.#bytes.byteLength));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    return start + this.#encoder.encodeInto(text, this.#bytes.subarray(start)).written;
  }

  /** Returns the place of the text that was appended last: that of the same text, or a free one. */
  #placeOf(end: number): number {
    const start = this.#startOf(this.#size);
    const last = this.#places.length - 1;
    let place = this.#hash(start, end) & last;
    for (let known = this.#places[place] as number; known > 0; known = this.#places[place] as number) {
      const [from, to] = [this.#startOf(known - 1), this.#ends[known - 1] as number];
      if (to - from === end - start && this.#bytes.compare(this.#bytes, from, to, start, end) === 0) return place;
      place = (place + 1) & last;
    }
    return place;
  }

  #hash(start: number, end: number): number {
    return hash.xxHash32(this.#bytes.subarray(start, end));
  }

  #grow(): void {
    const ends = new Uint32Array(2 * this.#ends.length);
    ends.set(this.#ends);
    this.#ends = ends;
    this.#places = new Uint32Array(2 * this.#places.length);
    const last = this.#places.length - 1;
    for (let number = 0; number < this.#size; number++) {
      let place = this.#hash(this.#startOf(number), this.#ends[number] as number) & last;
      while (this.#places[place] !== 0) place = (place + 1) & last;
      this.#places[place] = number + 1;
    }
  }
}
