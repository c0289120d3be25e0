import { describe, expect, it } from 'bun:test';
import { Collections } from '../../../../src/search/engine/collections.ts';
import { NodeTable } from '../../../../src/search/engine/node-table.ts';
import { facetBlob } from '../../../support/search-rows.ts';

const COLLECTION = 0;
const PLAIN = {
  isDeleted: false,
  status: true,
  ownerId: 1,
  bundle: 'a',
  created: 1,
  dateFrom: null,
  dateTo: null,
  words: 1,
};

function put(table: NodeTable, nid: number, ...parents: readonly number[]): void {
  table.set({ ...PLAIN, nid, facets: facetBlob([[COLLECTION, parents]]) });
}

/** Returns the ids of a collection and of all above it. */
function aboveIn(table: NodeTable, collections: Collections, nid: number): number[] {
  const number = table.dictionary.find(COLLECTION, nid);
  return collections.above(number as number).map((each) => table.dictionary.values[each] as number);
}

describe('the collections above a collection', () => {
  it('are those of its last change', () => {
    const table = new NodeTable(COLLECTION);
    const collections = new Collections(table);
    put(table, 5, 2);
    expect(aboveIn(table, collections, 2)).toEqual([2]);
    put(table, 2, 3);
    expect(aboveIn(table, collections, 2)).toEqual([2, 3]);
    put(table, 3, 4);
    expect(aboveIn(table, collections, 2)).toEqual([2, 3, 4]);
    put(table, 2);
    expect(aboveIn(table, collections, 2)).toEqual([2]);
  });

  it('are kept until a member moves', () => {
    const table = new NodeTable(COLLECTION);
    const collections = new Collections(table);
    put(table, 5, 2);
    const number = table.dictionary.find(COLLECTION, 2) as number;
    const first = collections.above(number);
    table.set({ ...PLAIN, nid: 5, status: false, facets: facetBlob([[COLLECTION, [2]]]) });
    expect(collections.above(number)).toBe(first);
  });

  it('end where a circle begins', () => {
    const table = new NodeTable(COLLECTION);
    put(table, 1, 2);
    put(table, 2, 1);
    expect(aboveIn(table, new Collections(table), 1)).toEqual([1, 2]);
  });
});
