import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { findBuild } from '../../repository/search-index/index-state.ts';
import { type ParsedQuery, parseQuery } from '../query/parse-query.ts';
import { toExpression } from '../query/to-expression.ts';
import type { SearchQuery, SearchResult, SearchRunner, SortOrder, Viewer } from '../search-types.ts';
import type { SearchSetup } from '../setup.ts';
import { makeSnippets } from '../snippets/make-snippets.ts';
import { Collections } from './collections.ts';
import { countFacets } from './count-facets.ts';
import { describeFacets, type FacetsPart } from './describe-facets.ts';
import { findHits } from './find-hits.ts';
import { NodeLoader } from './node-loader.ts';
import { NodeTable } from './node-table.ts';
import { type NodeOrder, orderByNumber, type Section } from './order-by-number.ts';
import { orderByRank } from './order-by-rank.ts';
import { orderByTitle } from './order-by-title.ts';
import { type Position, readPosition, sizeOf, writePosition } from './position.ts';
import { type Filter, readFilters } from './read-filters.ts';
import { selectNodes } from './select-nodes.ts';
import { suggestQuery } from './suggest-query.ts';
import { suggestTitles } from './suggest-titles.ts';

/** The nodes that a search finds, before a page of them is taken. */
interface SearchMatches {
  readonly nodes: Uint32Array;
  /** The expression of the words; undefined for a query without any. */
  readonly match: string | undefined;
  /** The number of nodes with these words, with hidden ones. */
  readonly hits: number;
  /** The number of words and phrases, each of which ranking looks up in each hit. */
  readonly words: number;
  readonly filters: readonly Filter[];
  readonly ignored: readonly string[];
}

const NO_FACETS: FacetsPart = { facets: [], decades: [] };

/**
 * Creates an engine on the tables of the index. Its first search reads all rows of `node_record` into memory. It works for
 * as long as the calling thread does: searches of many nodes take up to 300 ms of it.
 */
export function createEngine(database: Database, setup: SearchSetup): SearchRunner {
  const table = new NodeTable(setup.facets.findIndex(({ kind }) => kind === 'collection'));
  const collections = new Collections(table);
  const loader = new NodeLoader(database, table);

  async function find(
    parsed: ParsedQuery,
    viewer: Viewer,
    query: SearchQuery,
    pause: () => Promise<void>,
  ): Promise<SearchMatches> {
    const { match, without } = toExpression(parsed, viewer.viewsMedia);
    const { filters, ignored } = await readFilters(database, setup.facets, table.dictionary, query);
    const hits = match === undefined ? undefined : await findHits(database, match, pause);
    await pause();
    const nodes = selectNodes(table, collections, hits, {
      viewer,
      from: largest(parsed.from, query.from),
      to: smallestOf(parsed.to, query.to),
      values: filters.map(({ number }) => number),
    });
    const left =
      without === undefined ? nodes : leaveOut(nodes, await findHits(database, without, pause), table.length);
    const words = parsed.groups.flat().reduce((sum, { folded }) => sum + weightOf(folded), 0);
    return { nodes: left, match, hits: hits?.length ?? 0, words, filters, ignored: [...parsed.ignored, ...ignored] };
  }

  async function order({ nodes, match, hits }: SearchMatches, sort: SortOrder, section: Section): Promise<NodeOrder> {
    if (nodes.length === 0 || section.offset >= nodes.length) return { nids: [], keyOf: async () => 0 };
    if (sort === 'title') return orderByTitle(database, table, nodes, section);
    if (sort === 'relevance' && match !== undefined)
      return orderByRank(database, table, nodes, { match, weights: setup.weights, hits }, section);
    return orderByNumber(table, nodes, sort === 'date' ? 'date' : 'newest', section);
  }

  /** Relevance needs words, and is not worth its time for words that very many nodes contain. */
  function orderOf(
    { match, hits, words }: SearchMatches,
    { sort = 'relevance' }: SearchQuery,
    after: Position | undefined,
  ): SortOrder {
    if (after !== undefined) return after.sort;
    const isVague = match === undefined || hasTooManyHits({ hits, words }, table.count);
    return sort === 'relevance' && isVague ? 'newest' : sort;
  }

  async function search(viewer: Viewer, query: SearchQuery, signal?: AbortSignal): Promise<SearchResult> {
    const after = readPosition(query, viewer);
    const pause = () => yieldUnlessAborted(signal);
    database.refresh();
    await loader.refresh(pause);
    const parsed = parseQuery(query.text);
    const result = await find(parsed, viewer, query, pause);
    await pause();
    const { nodes, filters, ignored } = result;
    const sort = orderOf(result, query, after);
    const size = sizeOf(query);
    const offset = after === undefined ? size * Math.max(0, Math.floor(query.page ?? 0) || 0) : 0;
    // One more than the page shows that there is a next one.
    const { nids, keyOf } = await order(result, sort, { offset, size: size + 1, after });
    const shown = nids.slice(0, size);
    const last = nids.length > size ? shown.at(-1) : undefined;
    const next =
      last === undefined
        ? undefined
        : writePosition({ sort, nid: last, key: await keyOf(last, shown.length - 1) }, query, viewer);
    await pause();
    const isFaceted = (query.hasFacets ?? true) && (nodes.length > 0 || filters.length > 0);
    const counts = isFaceted ? countFacets(table, collections, nodes) : undefined;
    const facets = counts && (await describeFacets(database, { setup, table }, { viewer, counts, filters }));
    await pause();
    const tries = async (text: string) => (await find(parseQuery(text), viewer, query, pause)).nodes.length > 0;
    return {
      total: nodes.length,
      items: await makeSnippets(database, setup, { nids: shown, parsed, viewer }),
      ...(facets ?? NO_FACETS),
      sort,
      next,
      suggestion: nodes.length > 0 ? undefined : await suggestQuery(database, parsed, query.text, tries),
      isBuilding: await findBuild(database),
      ignored,
    };
  }

  return {
    search,
    suggest(viewer, text) {
      database.refresh();
      return suggestTitles(database, setup, viewer, text);
    },
  };
}

/** Returns how much longer relevance takes for a word or phrase than for one word: a phrase is looked for again. */
function weightOf(folded: string): number {
  const words = folded.split(' ').length;
  return words === 1 ? 1 : 2 * words;
}

/** Lets other work of the thread run. Throws `client-gone` for an aborted search. */
async function yieldUnlessAborted(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  if (signal?.aborted) throw new ServiceError('client-gone', 'The client has left before the end of the search.');
}

function leaveOut(nodes: Uint32Array, hits: Uint32Array, length: number): Uint32Array {
  const isHit = new Uint8Array(length);
  for (const nid of hits) isHit[nid] = 1;
  return nodes.filter((nid) => isHit[nid] !== 1);
}

function largest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : Math.max(one, other ?? one);
}

function smallestOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : Math.min(one, other ?? one);
}

const MANY_HITS = 50_000;
const MANY_SHARE = 1 / 3;

interface Hits {
  readonly hits: number;
  /** The weight of the words. */
  readonly words: number;
}

/**
 * Returns true for a search whose hits are too many for relevance: more than 50,000 and, times the weight of the words, more
 * than a third of all nodes.
 */
export function hasTooManyHits({ hits, words }: Hits, nodes: number): boolean {
  return hits > MANY_HITS && hits * words > nodes * MANY_SHARE;
}
