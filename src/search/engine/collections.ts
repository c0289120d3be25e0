import type { NodeTable } from './node-table.ts';

/** The collections above each collection, closed upwards. A circle ends at the collection where it began. */
export class Collections {
  readonly #table: NodeTable;
  #version = -1;
  #closures = new Map<number, readonly number[]>();

  constructor(table: NodeTable) {
    this.#table = table;
  }

  /** Returns the number of a collection in the dictionary, and those of all collections above it. */
  above(collection: number): readonly number[] {
    const { hierarchyVersion } = this.#table;
    if (hierarchyVersion !== this.#version) {
      this.#closures = new Map();
      this.#version = hierarchyVersion;
    }
    const known = this.#closures.get(collection);
    if (known !== undefined) return known;
    const closure = this.#close(collection);
    this.#closures.set(collection, closure);
    return closure;
  }

  #close(collection: number): number[] {
    const { dictionary, collectionFacet, start, size, values, length } = this.#table;
    const reached = new Set([collection]);
    for (const each of reached) {
      const nid = dictionary.values[each] as number;
      if (nid >= length) continue;
      for (let at = start[nid] as number, end = at + (size[nid] as number); at < end; at++) {
        const value = values[at] as number;
        if (dictionary.facets[value] === collectionFacet) reached.add(value);
      }
    }
    return [...reached];
  }
}
