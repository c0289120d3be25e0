import type { Collections } from './collections.ts';
import { IS_BOOK, MAX_NID, type NodeTable } from './node-table.ts';
import { type Conditions, conditionsOf, selectNodes } from './select-nodes.ts';
import { visibleNodes } from './visible-nodes.ts';

/** Books with the pages of them that a search has found. */
export interface BookHits {
  /** The pages of each book, as keys in the order of the books and then of the pages (`keyOf`). */
  readonly keys: Float64Array;
  /** The result that shows a hit: itself, or the first of its books. 0 for a hit that is not selected. */
  readonly resultOf: Uint32Array;
  /** The further books of pages that belong to several. */
  readonly others: ReadonlyMap<number, readonly number[]>;
}

/** The nodes that a search shows, each once. */
export interface Results {
  readonly nodes: Uint32Array;
  /** Undefined if no page of a book is among them. */
  readonly books: BookHits | undefined;
}

const ROWS = MAX_NID + 1;

const keyOf = (book: number, page: number) => book * ROWS + page;

/**
 * Returns what shows the hits that the viewer may view: for the pages of books these books, if the viewer may view them, and
 * every other hit itself. A page meets the conditions on values and years together with its book, as one.
 */
export function groupPages(
  table: NodeTable,
  collections: Collections,
  hits: Uint32Array,
  conditions: Conditions,
): Results {
  if (conditions.values.includes(undefined)) return { nodes: new Uint32Array(), books: undefined };
  const visible = selectNodes(table, collections, hits, { ...conditions, from: undefined, to: undefined, values: [] });
  const { single, keys } = splitPages(table, visible, conditions);
  const others = selectNodes(table, collections, single, conditions);
  if (keys.length === 0) return { nodes: others, books: undefined };
  const { meets } = conditionsOf(table, collections, conditions);
  const selected = keys.filter((key) => meets(key % ROWS, Math.floor(key / ROWS))).sort();
  return resultsOf(table, others, selected);
}

/** Returns the hits that no book shows, and the pages of books that the viewer may view. */
function splitPages(
  table: NodeTable,
  hits: Uint32Array,
  { viewer }: Conditions,
): { single: Uint32Array; keys: Float64Array } {
  const { start, size, values, state, dictionary, collectionFacet, length } = table;
  const isVisible = visibleNodes(table, viewer);
  const single = new Uint32Array(hits.length);
  const keys: number[] = [];
  let count = 0;
  for (let index = 0; index < hits.length; index++) {
    const nid = hits[index] as number;
    const before = keys.length;
    // A book in a book is a volume, which has pages of its own.
    const end = ((state[nid] as number) & IS_BOOK) !== 0 ? 0 : (start[nid] as number) + (size[nid] as number);
    for (let at = start[nid] as number; at < end; at++) {
      const value = values[at] as number;
      if (dictionary.facets[value] !== collectionFacet) continue;
      const book = dictionary.values[value] as number;
      if (book >= length || ((state[book] as number) & IS_BOOK) === 0) continue;
      if (isVisible(book)) keys.push(keyOf(book, nid));
    }
    if (keys.length === before) single[count++] = nid;
  }
  return { single: single.subarray(0, count), keys: Float64Array.from(keys) };
}

function resultsOf({ length }: NodeTable, single: Uint32Array, keys: Float64Array): Results {
  const resultOf = new Uint32Array(length);
  const others = new Map<number, number[]>();
  const isShown = new Uint8Array(length);
  const nodes = new Uint32Array(single.length + keys.length);
  let count = 0;
  const show = (nid: number) => {
    if (isShown[nid] === 1) return;
    isShown[nid] = 1;
    nodes[count++] = nid;
  };
  for (const nid of single) {
    resultOf[nid] = nid;
    show(nid);
  }
  for (const key of keys) {
    const [book, page] = [Math.floor(key / ROWS), key % ROWS];
    show(book);
    if (resultOf[page] === 0) resultOf[page] = book;
    else others.set(page, [...(others.get(page) ?? []), book]);
  }
  return { nodes: nodes.subarray(0, count), books: { keys, resultOf, others } };
}

/** Calls `onBook` with each book and its pages, which are a part of an array that is used again. */
export function eachBook({ keys }: BookHits, onBook: (book: number, pages: Uint32Array) => void): void {
  const pages = new Uint32Array(keys.length);
  for (let from = 0; from < keys.length; ) {
    const book = Math.floor((keys[from] as number) / ROWS);
    let size = 0;
    for (; from < keys.length && (keys[from] as number) < keyOf(book + 1, 0); from++)
      pages[size++] = (keys[from] as number) % ROWS;
    onBook(book, pages.subarray(0, size));
  }
}

/** Returns the pages of a book, in the order of their ids. */
export function pagesOf({ keys }: BookHits, book: number): Uint32Array {
  const [from, to] = [placeOf(keys, keyOf(book, 0)), placeOf(keys, keyOf(book + 1, 0))];
  return Uint32Array.from(keys.subarray(from, to), (key) => key % ROWS);
}

/** Returns the number of sorted keys that are less than a key. */
function placeOf(keys: Float64Array, key: number): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as number) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
