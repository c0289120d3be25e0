import { FacetDictionary } from './facet-dictionary.ts';

/** The values of a node that searches need (`node_record`). */
export interface NodeFacts {
  readonly nid: number;
  readonly isDeleted: boolean;
  readonly status: boolean;
  readonly ownerId: number;
  readonly bundle: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly dateFrom: number | null;
  readonly dateTo: number | null;
  /** The number of its words in the full-text index. */
  readonly words: number;
  /** As `nodeRecords.facets` describes them. */
  readonly facets: Uint8Array;
}

/** Bits of `NodeTable.state`. A row without a node is 0. */
export const PUBLISHED = 1;
export const UNPUBLISHED = 2;
/** The node is a member of several nodes. */
export const HAS_PARENTS = 4;
/** The members of the node are its pages. */
export const IS_BOOK = 8;

export const NO_YEAR = -32_768;
const MAX_YEAR = 32_767;
const MAX_WORDS = 65_535;
/** The highest id of a node that is searched: an order packs ids and dates into one number. */
export const MAX_NID = 2 ** 26 - 1;
/** The arrays of rows. */
const ROW_ARRAYS = ['state', 'bundle', 'owner', 'created', 'from', 'to', 'words', 'start', 'size'] as const;

type RowArrays = Pick<NodeTable, (typeof ROW_ARRAYS)[number]>;

/** The arrays of a table, and the facet and the value of each number of its dictionary. */
export type TableArrays = RowArrays &
  Pick<NodeTable, 'values'> & { readonly facetsOfValues: Uint32Array; readonly valuesOfFacets: Uint32Array };

/** The numbers of a table beside its arrays. */
export interface TableCounts extends Pick<NodeTable, 'length' | 'count' | 'bookCount' | 'collectionFacet'> {
  /** The types in the order of their numbers. */
  readonly bundles: readonly string[];
  readonly wasted: number;
}

const FIRST_ROWS = 1_024;
const GROWTH = 1.125;
/** The bytes of a row, without its facet values. */
const ROW_BYTES = 1 + 1 + 4 + 4 + 2 + 2 + 2 + 4 + 2;
/** The types of nodes that are told apart: others count as one. */
const MAX_BUNDLES = 255;

/**
 * All nodes in typed arrays, whose rows are the ids of nodes: 22 bytes a node, 4 more if any content is restricted, and 4 for each facet value. They are read
 * by row in loops over hits, where a method call for each row would cost more than the work.
 */
export class NodeTable {
  readonly dictionary = new FacetDictionary();
  /** The facet that holds the direct parents of nodes. */
  readonly collectionFacet: number;
  /** The rows in use: the highest id and one. */
  length = 0;
  /** The number of nodes. */
  count = 0;
  /** The number of nodes with pages. */
  bookCount = 0;
  /** Increases with each change of the members of a collection. */
  hierarchyVersion = 0;
  state = new Uint8Array(FIRST_ROWS);
  /** The number of its type in `bundles`, 0 for types beyond the 255th. */
  bundle = new Uint8Array(FIRST_ROWS);
  readonly bundles = new Map<string, number>();
  /** The ids of access sets, 0 for none. Empty while no content has one; rows beyond its end have none. */
  accessSet = new Uint32Array();
  owner = new Uint32Array(FIRST_ROWS);
  created = new Uint32Array(FIRST_ROWS);
  from = new Int16Array(FIRST_ROWS);
  to = new Int16Array(FIRST_ROWS);
  /** The number of words, at most `MAX_WORDS`. */
  words = new Uint16Array(FIRST_ROWS);
  /** The first facet value of a row in `values`, and their number. */
  start = new Uint32Array(FIRST_ROWS);
  size = new Uint16Array(FIRST_ROWS);
  /** Numbers of the dictionary. */
  values = new Uint32Array(FIRST_ROWS * 8);
  #used = 0;
  /** Values of rows that have others now. */
  #wasted = 0;

  constructor(collectionFacet: number) {
    this.collectionFacet = collectionFacet;
  }

  /** The memory of the arrays. */
  get bytes(): number {
    return this.state.length * ROW_BYTES + this.accessSet.byteLength + this.values.byteLength;
  }

  /** Replaces what is known about a node. Ids above `MAX_NID` are left out. */
  set({ nid, isDeleted, status, ownerId, bundle, created, dateFrom, dateTo, words, facets }: NodeFacts): void {
    if (nid > MAX_NID) return;
    if (nid >= this.state.length) this.#grow(nid + 1);
    this.length = Math.max(this.length, nid + 1);
    const existed = this.state[nid] !== 0;
    if (existed) this.count -= 1;
    if (((this.state[nid] as number) & IS_BOOK) !== 0) this.bookCount -= 1;
    const previous = this.#parents(nid);
    this.#wasted += this.size[nid] as number;
    this.state[nid] = 0;
    this.size[nid] = 0;
    if (!isDeleted) {
      this.count += 1;
      this.state[nid] = status ? PUBLISHED : UNPUBLISHED;
      this.owner[nid] = ownerId;
      this.bundle[nid] = this.#bundleNumber(bundle);
      this.created[nid] = Math.max(0, created);
      this.from[nid] = yearOf(dateFrom);
      this.to[nid] = yearOf(dateTo ?? dateFrom);
      this.words[nid] = Math.min(words, MAX_WORDS);
      this.#setValues(nid, facets);
    }
    if (previous !== this.#parents(nid)) this.hierarchyVersion += 1;
    if (this.#wasted > this.#used / 2 && this.#wasted > FIRST_ROWS) this.#compact();
  }

  /** Sets the access set of a node. */
  restrict(nid: number, setId: number): void {
    if (nid > MAX_NID || (setId === 0 && nid >= this.accessSet.length)) return;
    if (nid >= this.accessSet.length) this.accessSet = grown(this.accessSet, Math.max(nid + 1, this.length));
    this.accessSet[nid] = setId;
  }

  #bundleNumber(name: string): number {
    let number = this.bundles.get(name);
    if (number === undefined && this.bundles.size < MAX_BUNDLES) {
      number = this.bundles.size + 1;
      this.bundles.set(name, number);
    }
    return number ?? 0;
  }

  /** Marks nodes as books; `areAll` says that no other one is a book. A changed node must be marked again. */
  markBooks(nids: Iterable<number>, areAll: boolean): void {
    if (areAll) {
      for (let nid = 0; nid < this.length; nid++) this.state[nid] = (this.state[nid] as number) & ~IS_BOOK;
      this.bookCount = 0;
    }
    for (const nid of nids) {
      const state = nid < this.length ? (this.state[nid] as number) : 0;
      if (state === 0 || (state & IS_BOOK) !== 0) continue;
      this.state[nid] = state | IS_BOOK;
      this.bookCount += 1;
    }
  }

  /** Returns the content of the table but the access sets, for `restore`. The arrays are valid until the next change. */
  save(): { readonly counts: TableCounts; readonly arrays: TableArrays } {
    const { length, count, bookCount, collectionFacet, dictionary } = this;
    const rows = Object.fromEntries(ROW_ARRAYS.map((name) => [name, this[name].subarray(0, length)])) as RowArrays;
    const facetsOfValues = Uint32Array.from(dictionary.facets);
    const valuesOfFacets = Uint32Array.from(dictionary.values);
    return {
      counts: { length, count, bookCount, collectionFacet, bundles: [...this.bundles.keys()], wasted: this.#wasted },
      arrays: { ...rows, values: this.values.subarray(0, this.#used), facetsOfValues, valuesOfFacets },
    };
  }

  /** Takes over the content of another table, into an empty one. */
  restore({ length, count, bookCount, bundles, wasted }: TableCounts, arrays: TableArrays): void {
    const { facetsOfValues, valuesOfFacets, values, ...rows } = arrays;
    for (const [number, facet] of facetsOfValues.entries())
      this.dictionary.number(facet, valuesOfFacets[number] as number);
    for (const name of bundles) this.#bundleNumber(name);
    Object.assign(this, rows, { values, length, count, bookCount });
    this.#used = values.length;
    this.#wasted = wasted;
    this.hierarchyVersion += 1;
  }

  #setValues(nid: number, facets: Uint8Array): void {
    const view = new DataView(facets.buffer, facets.byteOffset, facets.byteLength);
    const words = facets.byteLength >> 2;
    if (this.#used + words > this.values.length) this.values = grown(this.values, this.#used + words);
    const start = this.#used;
    let parents = 0;
    for (let at = 0; at + 1 < words; ) {
      const facet = view.getUint32(at * 4, true);
      const end = Math.min(at + 2 + view.getUint32(at * 4 + 4, true), words);
      if (facet === this.collectionFacet) parents += end - at - 2;
      for (at += 2; at < end; at++)
        this.values[this.#used++] = this.dictionary.number(facet, view.getUint32(at * 4, true));
    }
    this.start[nid] = start;
    // More values than that of one node are not counted.
    this.size[nid] = Math.min(this.#used - start, 65_535);
    if (parents > 1) this.state[nid] = (this.state[nid] as number) | HAS_PARENTS;
  }

  /** Returns the direct parents of a node, as text, to compare them. */
  #parents(nid: number): string {
    const { facets } = this.dictionary;
    let parents = '';
    for (let at = this.start[nid] as number, end = at + (this.size[nid] as number); at < end; at++)
      if (facets[this.values[at] as number] === this.collectionFacet) parents += `${this.values[at]} `;
    return parents;
  }

  #grow(rows: number): void {
    for (const name of ROW_ARRAYS) (this[name] as Uint32Array) = grown(this[name] as Uint32Array, rows);
  }

  #compact(): void {
    const values = new Uint32Array(Math.ceil((this.#used - this.#wasted) * GROWTH) + FIRST_ROWS);
    let used = 0;
    for (let nid = 0; nid < this.length; nid++) {
      const start = this.start[nid] as number;
      const size = this.size[nid] as number;
      values.set(this.values.subarray(start, start + size), used);
      this.start[nid] = used;
      used += size;
    }
    this.values = values;
    this.#used = used;
    this.#wasted = 0;
  }
}

function yearOf(year: number | null): number {
  return year === null ? NO_YEAR : Math.max(NO_YEAR + 1, Math.min(MAX_YEAR, year));
}

interface GrowableArray<Same> {
  readonly length: number;
  readonly constructor: unknown;
  set(other: Same): void;
}

/** Returns a copy of an array with room for at least `length` elements. */
function grown<Numbers extends GrowableArray<Numbers>>(old: Numbers, length: number): Numbers {
  const Larger = old.constructor as new (length: number) => Numbers;
  const copy = new Larger(Math.max(length, Math.ceil(old.length * GROWTH)));
  copy.set(old);
  return copy;
}
