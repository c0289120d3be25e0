import type { Database } from '../../database/database.ts';
import type { ScoredHits } from '../postings/match-words.ts';
import { WordSearch } from '../postings/word-search.ts';
import { type ParsedQuery, parseQuery } from '../query/parse-query.ts';
import { toExpression } from '../query/to-expression.ts';
import type { SearchList, SearchQuery, SearchResult, SearchRunner, SortOrder, Viewer } from '../search-types.ts';
import type { SearchSetup } from '../setup.ts';
import { makeSnippets } from '../snippets/make-snippets.ts';
import { Collections } from './collections.ts';
import { countResults } from './count-facets.ts';
import { describeFacets, type FacetsPart } from './describe-facets.ts';
import { findMatching } from './find-hits.ts';
import { findRows, findRowsToLeaveOut } from './find-rows.ts';
import { groupPages, pagesOf, type Results } from './group-pages.ts';
import { LabelReader } from './labels.ts';
import { NodeLoader, type SearchState } from './node-loader.ts';
import type { SnapshotPlace } from './node-snapshot.ts';
import { NodeTable } from './node-table.ts';
import { type NodeOrder, orderByNumber, type Section } from './order-by-number.ts';
import { hasTooManyHits, orderByRank, type RankOrder, weightOf } from './order-by-rank.ts';
import { orderByScore } from './order-by-score.ts';
import { orderByTitle } from './order-by-title.ts';
import { type Position, readPosition, sizeOf, writePosition } from './position.ts';
import { type Filter, readFilters } from './read-filters.ts';
import { MAX_SEARCH_MS, SearchTime, tookTooLong } from './search-time.ts';
import { selectNodes } from './select-nodes.ts';
import { suggestQuery } from './suggest-query.ts';
import { suggestTitles } from './suggest-titles.ts';

/** The nodes that a search finds, before a page of them is taken. */
interface SearchMatches {
  readonly results: Results;
  /** The expression of the words; undefined for a query without any. */
  readonly match: string | undefined;
  /** The number of nodes with these words, with hidden ones. */
  readonly hits: number;
  /** The relevance of the nodes, if it is known. */
  readonly scored: ScoredHits | undefined;
  /** The weight of all words and phrases, each of which ranking looks up in each hit. */
  readonly words: number;
  readonly filters: readonly Filter[];
  readonly ignored: readonly string[];
}

const NO_FACETS: FacetsPart = { facets: [], decades: [] };

/** The maximum time for the order of relevance; the order is then by date of creation. */
const MAX_RANK_MS = 1_000;
/** The maximum number of pages that are shown of a book. */
const MAX_PAGES = 3;
/** The maximum time for a similar query. */
const MAX_SUGGEST_MS = 300;

interface EngineOptions {
  readonly maxMs?: number;
  /** Default: all rows are read at the first search. */
  readonly snapshots?: SnapshotPlace | undefined;
}

/** An engine, whose arrays can be written to a file for the next start. */
export interface SearchEngine extends SearchRunner {
  /** Writes a snapshot if it is worth its time, and returns its token for the database. To be called between searches. */
  save(): string | undefined;
}

/**
 * Creates an engine on the tables of the index. Its first search reads all rows of `node_record` into memory. A search takes
 * up to 300 ms of the calling thread, and at most `maxMs` if the database can be interrupted (`Database.interrupt`). An
 * engine works on one search at a time.
 */
export function createEngine(
  database: Database,
  setup: SearchSetup,
  { maxMs = MAX_SEARCH_MS, snapshots }: EngineOptions = {},
): SearchEngine {
  const collectionFacet = setup.facets.findIndex(({ kind }) => kind === 'collection');
  // The index has the parents behind the facets if none is configured for them.
  const table = new NodeTable(collectionFacet === -1 ? setup.facets.length : collectionFacet);
  const collections = new Collections(table);
  const words = new WordSearch(database, setup.weights);
  const loader = new NodeLoader(database, table, setup.bookUris, snapshots);
  let state: SearchState = { generation: 0, build: undefined };
  const labels = new LabelReader(database, setup, () => state.generation);

  async function find(
    parsed: ParsedQuery,
    viewer: Viewer,
    query: SearchQuery,
    pause: () => Promise<void>,
  ): Promise<SearchMatches> {
    const { match, without } = toExpression(parsed, viewer.viewsMedia);
    const { filters, ignored } = await readFilters(database, setup.facets, table.dictionary, query);
    const { hits, scored } = await findRows({ database, words, table, pause }, parsed, viewer);
    await pause();
    const conditions = {
      viewer,
      from: largest(parsed.from, query.from),
      to: smallestOf(parsed.to, query.to),
      values: filters.map(({ number }) => number),
    };
    const isGrouped = query.groupsPages === true && hits !== undefined && table.bookCount > 0;
    const results: Results = isGrouped
      ? groupPages(table, collections, hits, conditions)
      : { nodes: selectNodes(table, collections, hits, conditions), books: undefined };
    // Words are only left out here if there are none to find, and hence no pages to group.
    const left =
      without === undefined
        ? results
        : {
            ...results,
            nodes: leaveOut(
              results.nodes,
              await findRowsToLeaveOut({ database, table, pause }, parsed, viewer),
              table.length,
            ),
          };
    const weight = [...parsed.groups.flat(), ...parsed.without].reduce((sum, { folded }) => sum + weightOf(folded), 0);
    return {
      results: left,
      match,
      hits: hits?.length ?? 0,
      scored,
      words: weight,
      filters,
      ignored: [...parsed.ignored, ...ignored],
    };
  }

  async function order(
    { results, match, hits, scored }: SearchMatches,
    sort: SortOrder,
    section: Section,
    time: SearchTime,
  ): Promise<NodeOrder & Partial<RankOrder> & { readonly sort: SortOrder }> {
    const { nodes } = results;
    if (nodes.length === 0 || section.offset >= nodes.length) return { nids: [], keyOf: async () => 0, sort };
    if (sort === 'title') return { ...(await orderByTitle(database, table, nodes, section)), sort };
    if (sort === 'relevance' && scored !== undefined) return { ...orderByScore(table, results, scored, section), sort };
    if (sort === 'relevance' && match !== undefined) {
      const ranking = { match, weights: setup.weights, hits };
      const ranked = await time.atMost(MAX_RANK_MS, () => orderByRank(database, table, results, ranking, section));
      if (ranked !== undefined) return { ...ranked, sort };
      // A position in the order of relevance means nothing in another one.
      if (section.after !== undefined) throw tookTooLong();
    }
    const other = sort === 'date' ? 'date' : 'newest';
    return { ...orderByNumber(table, nodes, other, section), sort: other };
  }

  /** Relevance needs words, and is not worth its time for words that very many nodes contain. */
  function orderOf(
    { match, hits, scored, words }: SearchMatches,
    { sort = 'relevance' }: SearchQuery,
    after: Position | undefined,
  ): SortOrder {
    if (after !== undefined) return after.sort;
    const isVague = match === undefined || (scored === undefined && hasTooManyHits({ hits, words }, table.count));
    return sort === 'relevance' && isVague ? 'newest' : sort;
  }

  async function search(viewer: Viewer, query: SearchQuery, time: SearchTime): Promise<SearchResult> {
    const { pause } = time;
    const after = readPosition(query, viewer);
    const parsed = parseQuery(query.text);
    const result = await find(parsed, viewer, query, pause);
    await pause();
    const { results, filters, ignored } = result;
    const { nodes, books } = results;
    const size = sizeOf(query);
    const offset = after === undefined ? size * Math.max(0, Math.floor(query.page ?? 0) || 0) : 0;
    // One more than the page shows that there is a next one.
    const section = { offset, size: size + 1, after };
    const { nids, keyOf, sort, pages } = await order(result, orderOf(result, query, after), section, time);
    const shown = nids.slice(0, size);
    const last = nids.length > size ? shown.at(-1) : undefined;
    const next =
      last === undefined
        ? undefined
        : writePosition({ sort, nid: last, key: await keyOf(last, shown.length - 1) }, query, viewer);
    await pause();
    const isFaceted = (query.hasFacets ?? true) && (nodes.length > 0 || filters.length > 0);
    const counts = isFaceted ? countResults(table, collections, results) : undefined;
    const facets = counts && (await describeFacets(labels, { setup, table }, { viewer, counts, filters }));
    await pause();
    const tries = async (text: string) => (await find(parseQuery(text), viewer, query, pause)).results.nodes.length > 0;
    const suggest = () => suggestQuery(database, parsed, query.text, tries);
    const hits = shown.map((nid) => {
      const all = books === undefined ? [] : Array.from(pagesOf(books, nid));
      const best = pages?.get(nid) ?? [];
      const first = [...new Set([...best, ...all])].slice(0, MAX_PAGES);
      // A book of which only pages match has no snippet of its own.
      const isHit = all.length === 0 || books?.resultOf[nid] === nid;
      return { nid, isHit, pages: first, pageCount: all.length };
    });
    return {
      total: nodes.length,
      items: await makeSnippets(database, setup, { hits, parsed, viewer }, time),
      ...(facets ?? NO_FACETS),
      sort,
      next,
      suggestion: nodes.length > 0 ? undefined : await time.atMost(MAX_SUGGEST_MS, suggest),
      isBuilding: state.build,
      ignored,
    };
  }

  async function list(viewer: Viewer, query: SearchQuery, limit: number, time: SearchTime): Promise<SearchList> {
    const result = await find(parseQuery(query.text), viewer, query, time.pause);
    await time.pause();
    const section = { offset: 0, size: limit, after: undefined };
    const { nids } = await order(result, orderOf(result, query, undefined), section, time);
    const { results, ignored } = result;
    return { total: results.nodes.length, nids, isBuilding: state.build, ignored };
  }

  /** Runs a search on the present rows, within its time. */
  async function run<T>(signal: AbortSignal | undefined, work: (time: SearchTime) => Promise<T>): Promise<T> {
    database.refresh();
    // What it has read stays, so that the searches after an interrupted one need not wait for it.
    const loading = new SearchTime(database, Number.POSITIVE_INFINITY, signal);
    state = await loading.run(() => loader.refresh(loading.pause));
    const time = new SearchTime(database, maxMs, signal);
    return time.run(() => work(time));
  }

  return {
    save: () => loader.save(),
    search: (viewer, query, { signal } = {}) => run(signal, (time) => search(viewer, query, time)),
    list: (viewer, query, limit, { signal } = {}) => run(signal, (time) => list(viewer, query, limit, time)),
    async matching(condition, nids, { signal } = {}) {
      database.refresh();
      return new SearchTime(database, maxMs, signal).run(() => findMatching(database, condition, nids));
    },
    async suggest(viewer, text, { signal } = {}) {
      database.refresh();
      return new SearchTime(database, maxMs, signal).run(() => suggestTitles(database, setup, viewer, text));
    },
  };
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
