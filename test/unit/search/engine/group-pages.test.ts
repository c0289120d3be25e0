import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { Collections } from '../../../../src/search/engine/collections.ts';
import { countResults } from '../../../../src/search/engine/count-facets.ts';
import { groupPages, pagesOf } from '../../../../src/search/engine/group-pages.ts';
import { NodeTable } from '../../../../src/search/engine/node-table.ts';
import { ANONYMOUS, AUTHOR, EDITOR, facetBlob } from '../../../support/search-rows.ts';

const COLLECTION = 0;
const SUBJECT = 1;
const NIDS = 14;

interface Node {
  readonly status: boolean;
  readonly ownerId: number;
  readonly year: number | null;
  readonly isBook: boolean;
  readonly parents: readonly number[];
  readonly subjects: readonly number[];
}

const anyNid = fc.integer({ min: 1, max: NIDS });
const anyNode: fc.Arbitrary<Node> = fc.record({
  status: fc.boolean(),
  ownerId: fc.constantFrom(1, AUTHOR.id),
  year: fc.option(fc.integer({ min: 1900, max: 1903 })),
  isBook: fc.boolean(),
  parents: fc.uniqueArray(anyNid, { maxLength: 3 }),
  subjects: fc.uniqueArray(fc.integer({ min: 100, max: 103 }), { maxLength: 2 }),
});

function tableOf(nodes: readonly Node[]): NodeTable {
  const table = new NodeTable(COLLECTION);
  for (const [index, { status, ownerId, year, parents, subjects }] of nodes.entries())
    table.set({
      ...{
        nid: index + 1,
        isDeleted: false,
        status,
        ownerId,
        bundle: 'a',
        created: index,
        dateFrom: year,
        dateTo: year,
        words: 1,
      },
      facets: facetBlob([
        [COLLECTION, parents],
        [SUBJECT, subjects],
      ]),
    });
  table.markBooks(
    nodes.flatMap(({ isBook }, index) => (isBook ? [index + 1] : [])),
    true,
  );
  return table;
}

describe('the results of a search', () => {
  it('are books with their pages, selected and counted like a plain list', () => {
    const conditions = fc.record({
      viewer: fc.constantFrom(ANONYMOUS, AUTHOR, EDITOR),
      from: fc.option(fc.integer({ min: 1900, max: 1903 }), { nil: undefined }),
      to: fc.option(fc.integer({ min: 1900, max: 1903 }), { nil: undefined }),
      subjects: fc.uniqueArray(fc.integer({ min: 100, max: 103 }), { maxLength: 2 }),
      collections: fc.uniqueArray(anyNid, { maxLength: 1 }),
    });
    const nodes = fc.array(anyNode, { minLength: NIDS, maxLength: NIDS });
    fc.assert(
      fc.property(
        nodes,
        fc.uniqueArray(anyNid),
        conditions,
        (all, hits, { viewer, from, to, subjects, collections }) => {
          const node = (nid: number) => all[nid - 1] as Node;
          const isVisible = (nid: number) =>
            node(nid).status || viewer === EDITOR || (viewer === AUTHOR && node(nid).ownerId === AUTHOR.id);
          const above = (nid: number) => {
            const reached = new Set(node(nid).parents);
            for (const each of reached) for (const parent of node(each).parents) reached.add(parent);
            return reached;
          };
          const isWithin = (nid: number) => {
            const { year } = node(nid);
            return year !== null && year >= (from ?? 0) && year <= (to ?? 9999);
          };
          const has = (nids: readonly number[], kind: number, value: number) =>
            nids.some((nid) => (kind === SUBJECT ? node(nid).subjects.includes(value) : above(nid).has(value)));
          const pagesByBook = new Map<number, number[]>();
          const shown = new Set<number>();
          for (const hit of hits.toSorted((one, other) => one - other)) {
            if (!isVisible(hit)) continue;
            const books = node(hit).isBook
              ? []
              : node(hit).parents.filter((each) => node(each).isBook && isVisible(each));
            for (const result of books.length === 0 ? [hit] : books) {
              if ((from ?? to) !== undefined && !isWithin(hit) && !isWithin(result)) continue;
              if (!subjects.every((each) => has([hit, result], SUBJECT, each))) continue;
              if (!collections.every((each) => has([hit, result], COLLECTION, each))) continue;
              shown.add(result);
              if (result !== hit) pagesByBook.set(result, [...(pagesByBook.get(result) ?? []), hit]);
            }
          }
          const table = tableOf(all);
          const tree = new Collections(table);
          const values = [
            ...subjects.map((each) => table.dictionary.find(SUBJECT, each)),
            ...collections.map((each) => table.dictionary.find(COLLECTION, each)),
          ];
          const results = groupPages(table, tree, Uint32Array.from(hits).sort(), { viewer, from, to, values });
          expect([...results.nodes].toSorted((one, other) => one - other)).toEqual(
            [...shown].toSorted((one, other) => one - other),
          );
          for (const [book, pages] of pagesByBook) expect([...pagesOf(results.books as never, book)]).toEqual(pages);
          const counts = countResults(table, tree, results);
          for (let number = 0; number < table.dictionary.size; number++) {
            const [kind = 0, value = 0] = [table.dictionary.facets[number], table.dictionary.values[number]];
            const count = [...shown].filter((nid) => has([nid, ...(pagesByBook.get(nid) ?? [])], kind, value)).length;
            expect([kind, value, counts[number]]).toEqual([kind, value, count]);
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('know no book that is one no longer', () => {
    const facts = {
      nid: 1,
      isDeleted: false,
      status: true,
      ownerId: 1,
      bundle: 'a',
      created: 0,
      dateFrom: null,
      dateTo: null,
      words: 1,
    };
    const table = new NodeTable(COLLECTION);
    const write = () => table.set({ ...facts, facets: facetBlob([]) });
    write();
    table.markBooks([1, 9], false);
    expect(table.bookCount).toBe(1);
    write();
    expect(table.bookCount).toBe(0);
    table.markBooks([1], false);
    table.markBooks([], true);
    expect(table.bookCount).toBe(0);
  });
});
