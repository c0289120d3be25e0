/** The factor that separates the number of a facet from its value in a key. Values have 32 bits. */
const RADIX = 2 ** 32;

/** All values of all facets, numbered from 0, so that they are counted in one array. */
export class FacetDictionary {
  readonly #numbers = new Map<number, number>();
  /** The facet and the value of each number. */
  readonly facets: number[] = [];
  readonly values: number[] = [];

  get size(): number {
    return this.values.length;
  }

  /** Returns the number of a value, a new one for a new value. */
  number(facet: number, value: number): number {
    const key = facet * RADIX + value;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.values.length;
    this.#numbers.set(key, number);
    this.facets.push(facet);
    this.values.push(value);
    return number;
  }

  /** Returns the number of a value, or undefined if no node has had it. */
  find(facet: number, value: number): number | undefined {
    return this.#numbers.get(facet * RADIX + value);
  }
}
