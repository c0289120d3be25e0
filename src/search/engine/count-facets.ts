import type { Collections } from './collections.ts';
import { eachBook, type Results } from './group-pages.ts';
import { HAS_PARENTS, type NodeTable } from './node-table.ts';

/**
 * Counts the results with each facet value. Returns the counts by the numbers of the dictionary. A collection counts all
 * nodes below it, each once. A book has also the values of its pages that were found.
 */
export function countResults(table: NodeTable, collections: Collections, { nodes, books }: Results): Uint32Array {
  if (books === undefined) return countFacets(table, collections, nodes);
  const isBook = new Uint8Array(table.length);
  eachBook(books, (book) => {
    isBook[book] = 1;
  });
  const counts = countFacets(
    table,
    collections,
    nodes.filter((nid) => isBook[nid] === 0),
  );
  const { start, size, values, dictionary, collectionFacet } = table;
  /** The last book that counted a value. */
  const countedBy = new Uint32Array(dictionary.size);
  const count = (value: number, book: number) => {
    if (countedBy[value] === book) return;
    countedBy[value] = book;
    counts[value] = (counts[value] as number) + 1;
  };
  const countNode = (nid: number, book: number) => {
    for (let at = start[nid] as number, end = at + (size[nid] as number); at < end; at++) {
      const value = values[at] as number;
      const isCounted = countedBy[value] === book;
      if (isCounted) continue;
      if (dictionary.facets[value] === collectionFacet) for (const each of collections.above(value)) count(each, book);
      else count(value, book);
    }
  };
  eachBook(books, (book, pages) => {
    countNode(book, book);
    for (let index = 0; index < pages.length; index++) countNode(pages[index] as number, book);
  });
  return counts;
}

function countFacets(table: NodeTable, collections: Collections, nodes: Uint32Array): Uint32Array {
  const { start, size, values, state, dictionary } = table;
  const counts = new Uint32Array(dictionary.size);
  const severalParents: number[] = [];
  for (let index = 0; index < nodes.length; index++) {
    const nid = nodes[index] as number;
    for (let at = start[nid] as number, end = at + (size[nid] as number); at < end; at++) {
      const value = values[at] as number;
      counts[value] = (counts[value] as number) + 1;
    }
    if (((state[nid] as number) & HAS_PARENTS) !== 0) severalParents.push(nid);
  }
  closeUpwards(table, collections, counts, severalParents);
  return counts;
}

function closeUpwards(
  { start, size, values, dictionary, collectionFacet }: NodeTable,
  collections: Collections,
  counts: Uint32Array,
  severalParents: readonly number[],
): void {
  const closed = new Uint32Array(counts.length);
  const isCollection = (value: number) => dictionary.facets[value] === collectionFacet;
  const addAll = (numbers: Iterable<number>, count: number) => {
    for (const each of numbers) closed[each] = (closed[each] as number) + count;
  };
  for (const nid of severalParents) {
    const above = new Set<number>();
    for (let at = start[nid] as number, end = at + (size[nid] as number); at < end; at++) {
      const value = values[at] as number;
      if (!isCollection(value)) continue;
      counts[value] = (counts[value] as number) - 1;
      for (const each of collections.above(value)) above.add(each);
    }
    addAll(above, 1);
  }
  for (let value = 0; value < counts.length; value++) {
    const count = counts[value] as number;
    if (count > 0 && isCollection(value)) addAll(collections.above(value), count);
  }
  for (let value = 0; value < counts.length; value++) if (isCollection(value)) counts[value] = closed[value] as number;
}
