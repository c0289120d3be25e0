import type { Collections } from './collections.ts';
import { HAS_PARENTS, type NodeTable } from './node-table.ts';

/**
 * Counts the nodes with each facet value. Returns the counts by the numbers of the dictionary. A collection counts all
 * nodes below it, each once.
 */
export function countFacets(table: NodeTable, collections: Collections, nodes: Uint32Array): Uint32Array {
  const { start, size, values, state, dictionary, collectionFacet } = table;
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
  if (collectionFacet >= 0) closeUpwards(table, collections, counts, severalParents);
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
