import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { Collections } from '../../../../src/search/engine/collections.ts';
import { countResults } from '../../../../src/search/engine/count-facets.ts';
import { parseIds } from '../../../../src/search/engine/find-hits.ts';
import { MAX_NID, type NodeFacts, NodeTable } from '../../../../src/search/engine/node-table.ts';
import { orderByNumber } from '../../../../src/search/engine/order-by-number.ts';
import { selectNodes } from '../../../../src/search/engine/select-nodes.ts';
import type { Viewer } from '../../../../src/search/search-types.ts';
import { facetBlob } from '../../../support/search-rows.ts';
import { OPEN_ACCESS } from '../../../support/unrestricted.ts';

const COLLECTION = 0;
const SUBJECT = 1;

/** A node as tests state it. */
interface Node extends Omit<NodeFacts, 'facets' | 'words'> {
  readonly collections: readonly number[];
  readonly subjects: readonly number[];
}

const NIDS = 30;
const anyNid = fc.integer({ min: 1, max: NIDS });
const anyNode: fc.Arbitrary<Node> = fc
  .record({
    nid: anyNid,
    isDeleted: fc.boolean().map((isDeleted) => isDeleted),
    status: fc.boolean(),
    ownerId: fc.integer({ min: 0, max: 3 }),
    bundle: fc.constant('a'),
    created: fc.integer({ min: 0, max: 50 }),
    dateFrom: fc.option(fc.integer({ min: -60, max: 60 })),
    years: fc.integer({ min: 0, max: 20 }),
    collections: fc.uniqueArray(anyNid, { maxLength: 3 }),
    subjects: fc.uniqueArray(fc.integer({ min: 100, max: 105 }), { maxLength: 4 }),
  })
  .map(({ years, ...node }) => ({ ...node, dateTo: node.dateFrom === null ? null : node.dateFrom + years }));
const anyViewer: fc.Arbitrary<Viewer> = fc.record({
  id: fc.integer({ min: 0, max: 3 }),
  isAuthenticated: fc.boolean(),
  nodes: fc.record({ published: fc.boolean(), unpublished: fc.constantFrom('all', 'own', 'none') }),
  terms: fc.constant({ published: true, unpublished: 'none' } as const),
  viewsMedia: fc.constant(true),
  access: fc.constant(OPEN_ACCESS),
});

function tableOf(writes: readonly Node[]): NodeTable {
  const table = new NodeTable(COLLECTION);
  for (const { collections, subjects, ...facts } of writes)
    table.set({
      ...facts,
      words: 1,
      facets: facetBlob([
        [COLLECTION, collections],
        [SUBJECT, subjects],
      ]),
    });
  return table;
}

/** The nodes after writes, the last write of each. */
function nodesAfter(writes: readonly Node[]): Node[] {
  return [...new Map(writes.map((node) => [node.nid, node])).values()]
    .filter(({ isDeleted }) => !isDeleted)
    .sort((one, other) => one.nid - other.nid);
}

function isVisible({ status, ownerId }: Node, { id, isAuthenticated, nodes }: Viewer): boolean {
  if (status) return nodes.published;
  return nodes.unpublished === 'all' || (nodes.unpublished === 'own' && isAuthenticated && ownerId === id);
}

/** All collections above a node. */
function above(nodes: readonly Node[], { collections }: Node): Set<number> {
  const found = new Set(collections);
  for (const each of found)
    for (const next of nodes.find(({ nid }) => nid === each)?.collections ?? []) found.add(next);
  return found;
}

describe('the table of nodes', () => {
  it('selects and counts like a plain list', () => {
    const conditions = fc.record({
      from: fc.option(fc.integer({ min: -60, max: 60 }), { nil: undefined }),
      to: fc.option(fc.integer({ min: -60, max: 60 }), { nil: undefined }),
      collections: fc.uniqueArray(anyNid, { maxLength: 2 }),
      subjects: fc.uniqueArray(fc.integer({ min: 100, max: 106 }), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(anyNode, { maxLength: 80 }), anyViewer, conditions, (writes, viewer, asked) => {
        const table = tableOf(writes);
        const collections = new Collections(table);
        const nodes = nodesAfter(writes);
        const { from, to } = asked;
        const expected = nodes.filter((node) => {
          const isInRange =
            (from === undefined && to === undefined) ||
            (node.dateFrom !== null && node.dateFrom <= (to ?? 999) && (node.dateTo ?? 0) >= (from ?? -999));
          return (
            isVisible(node, viewer) &&
            isInRange &&
            asked.collections.every((each) => above(nodes, node).has(each)) &&
            asked.subjects.every((each) => node.subjects.includes(each))
          );
        });
        const values = [
          ...asked.collections.map((each) => table.dictionary.find(COLLECTION, each)),
          ...asked.subjects.map((each) => table.dictionary.find(SUBJECT, each)),
        ];
        const found = selectNodes(table, collections, undefined, { viewer, from, to, values });
        expect([...found]).toEqual(expected.map(({ nid }) => nid));
        expect(table.count).toBe(nodes.length);
        const counts = countResults(table, collections, { nodes: found, books: undefined });
        const countOf = (facet: number, value: number) => counts[table.dictionary.find(facet, value) ?? -1] ?? 0;
        for (let value = 1; value <= NIDS; value++)
          expect(countOf(COLLECTION, value)).toBe(expected.filter((node) => above(nodes, node).has(value)).length);
        for (let value = 100; value <= 106; value++)
          expect(countOf(SUBJECT, value)).toBe(expected.filter(({ subjects }) => subjects.includes(value)).length);
      }),
      { numRuns: 400 },
    );
  });

  it('sorts by date and age like a plain list, in pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyNode, { maxLength: 60 }), fc.integer({ min: 1, max: 7 }), async (writes, size) => {
        const table = tableOf(writes);
        const nodes = nodesAfter(writes);
        const all = Uint32Array.from(nodes, ({ nid }) => nid);
        const year = ({ dateFrom }: Node) => dateFrom ?? 99_999;
        const orders = {
          date: nodes.toSorted((one, other) => year(one) - year(other) || one.nid - other.nid),
          newest: nodes.toSorted((one, other) => other.created - one.created || other.nid - one.nid),
        };
        for (const sort of ['date', 'newest'] as const) {
          const expected = orders[sort].map(({ nid }) => nid);
          const byPage: number[] = [];
          const byPosition: number[] = [];
          let after: { sort: typeof sort; nid: number; key: string | number } | undefined;
          for (let offset = 0; offset < expected.length; offset += size) {
            byPage.push(...orderByNumber(table, all, sort, { offset, size, after: undefined }).nids);
            const { nids, keyOf } = orderByNumber(table, all, sort, { offset: 0, size, after });
            byPosition.push(...nids);
            const last = nids.at(-1) as number;
            after = { sort, nid: last, key: await keyOf(last, 0) };
          }
          expect(byPage).toEqual(expected);
          expect(byPosition).toEqual(expected);
        }
      }),
    );
  });

  it('takes 22 bytes for each row, and 4 for each facet value', () => {
    expect(new NodeTable(COLLECTION).bytes).toBe(1_024 * 22 + 8_192 * 4);
  });

  it('does not grow when rows are rewritten', () => {
    const table = new NodeTable(COLLECTION);
    const write = (nid: number, subject: number) =>
      table.set({
        ...{
          nid,
          isDeleted: false,
          status: true,
          ownerId: 1,
          bundle: 'a',
          created: 1,
          dateFrom: null,
          dateTo: null,
          words: 1,
        },
        facets: facetBlob([[SUBJECT, [subject, subject + 1, subject + 2]]]),
      });
    for (let nid = 1; nid <= 2_000; nid++) write(nid, nid % 50);
    const { bytes } = table;
    for (let round = 0; round < 50; round++) for (let nid = 1; nid <= 2_000; nid++) write(nid, (nid + round) % 50);
    expect(table.bytes).toBeLessThan(bytes * 3);
    expect(table.count).toBe(2_000);
  });

  it('ignores ids beyond its limit, and truncated facets', () => {
    const table = new NodeTable(COLLECTION);
    const facts = {
      isDeleted: false,
      status: true,
      ownerId: 1,
      bundle: 'a',
      created: 1,
      dateFrom: 1_900,
      dateTo: 1_900,
      words: 1,
    };
    table.set({ ...facts, nid: MAX_NID + 1, facets: new Uint8Array() });
    table.set({ ...facts, nid: 5, facets: facetBlob([[SUBJECT, [1, 2, 3]]]).subarray(0, 15) });
    expect({ length: table.length, count: table.count, size: table.size[5] }).toEqual({ length: 6, count: 1, size: 1 });
  });
});

describe('ids as text', () => {
  it.each([
    ['', []],
    ['7', [7]],
    ['1,20,4294967295', [1, 20, 4_294_967_295]],
  ])('are parsed from %p', (text, ids) => expect([...parseIds(text, 3)]).toEqual(ids));
});
