import type { Visibility } from '../repository/access-rule.ts';

/** The orders of hits: best first, by title, by date (oldest first, undated last), newest node first. */
export const SORT_ORDERS = ['relevance', 'title', 'date', 'newest'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

/** The maximum number of items of a page. */
export const MAX_SIZE = 100;

/** A query of a caller. Nothing in it is an error, except a forged `after`. */
export interface SearchQuery {
  /** The query as a reader types it (docs/search.md). Empty for all nodes. */
  readonly text: string;
  /** Values by the name of a facet. A node must have all of them. */
  readonly filters?: Readonly<Record<string, readonly string[]>>;
  /** The years that the date of a node must overlap, both included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly sort?: SortOrder | undefined;
  /** The number of items: 1 to `MAX_SIZE`; default 20. */
  readonly size?: number | undefined;
  /** The page, from 0. */
  readonly page?: number | undefined;
  /** `SearchResult.next` of the page before, instead of `page`: as fast for any depth, and stable under writes. */
  readonly after?: string | undefined;
  /** False for a search that only needs hits. Default: true. */
  readonly hasFacets?: boolean;
  /** True for a search with words whose results show the pages of books with their book. Default: false. */
  readonly groupsPages?: boolean;
}

/** A part of a snippet. Marked parts match the query. */
export interface SnippetPart {
  readonly text: string;
  readonly isMark: boolean;
}

/** A page of a book that a search has found. */
export interface FoundPage {
  readonly nid: number;
  /** Plain text around the best match; empty for a page without text. */
  readonly snippet: readonly SnippetPart[];
  /** The words of the query that its recognized text has, as a query of the search within the book. Empty for none. */
  readonly words: string;
}

export interface SearchItem {
  readonly nid: number;
  /** Plain text around the best match; empty for a node without text, and for a book of which only pages match. */
  readonly snippet: readonly SnippetPart[];
  /** The first pages of a book that match; the best ones in the order of relevance. */
  readonly pages: readonly FoundPage[];
  /** The number of its pages that match. */
  readonly pageCount: number;
}

export interface FacetCount {
  /** A value for `SearchQuery.filters`. */
  readonly value: string;
  readonly label: string;
  readonly count: number;
}

export interface FacetResult {
  readonly name: string;
  readonly label: string;
  /** The most frequent first; those of the filters always. */
  readonly values: readonly FacetCount[];
}

/** The number of hits with a date in a decade. */
export interface DecadeCount {
  /** Its first year, such as 1920. */
  readonly decade: number;
  readonly count: number;
}

export interface SearchResult {
  readonly total: number;
  readonly items: readonly SearchItem[];
  /** In the order of the configuration. Facets without values are left out. */
  readonly facets: readonly FacetResult[];
  /** The decades of the hits, the earliest first. */
  readonly decades: readonly DecadeCount[];
  /** The order of the items: words that very many nodes contain are sorted by `newest` instead of relevance. */
  readonly sort: SortOrder;
  /** The position after the last item; undefined at the end. */
  readonly next?: string | undefined;
  /** A similar query with results, if this one has none. */
  readonly suggestion?: string | undefined;
  /** Set while the index is being built: the result is incomplete. */
  readonly isBuilding?: { readonly done: number; readonly total: number } | undefined;
  /** Sentences about parts of the query that were left out, such as too many words. */
  readonly ignored: readonly string[];
}

/** The beginning of all results of a search in their order. */
export interface SearchList {
  readonly total: number;
  readonly nids: readonly number[];
  readonly isBuilding: SearchResult['isBuilding'];
  readonly ignored: SearchResult['ignored'];
}

/** A completion of what a reader types. */
export interface Suggestion {
  readonly text: string;
  readonly kind: 'title' | 'collection' | 'term';
  /** The path of its page. */
  readonly url?: string | undefined;
}

/** The caller of a search, with everything that decides what it may view. */
export interface Viewer {
  readonly id: number;
  readonly isAuthenticated: boolean;
  readonly nodes: Visibility;
  readonly terms: Visibility;
  /** True for a caller who may view published media: texts of media are searched. */
  readonly viewsMedia: boolean;
  readonly access: ViewerAccess;
}

/** What access rules leave open to a viewer. */
export interface ViewerAccess {
  /** True if no rule restricts the viewer. */
  readonly isUnlimited: boolean;
  /** As in `Sight`. */
  readonly version: number;
  readonly verdicts: Uint8Array;
  readonly drafts: Uint8Array;
  /** True if the files of some nodes are closed whose descriptions are open: their texts are not searched. */
  readonly hasClosedFiles: boolean;
  /** The types of nodes that rules do not restrict for the viewer. */
  readonly editedTypes: readonly string[];
}

/** What a runner needs to know about the client of a search beside its viewer. */
export interface SearchClient {
  /** Ends the search when the client leaves. */
  readonly signal?: AbortSignal | undefined;
  /** The network of the client: networks take turns. Searches without one count as those of one client. */
  readonly network?: string | undefined;
  /** Receives the milliseconds that the work took, without waiting. */
  readonly spent?: ((milliseconds: number) => void) | undefined;
}

/** Runs searches: in threads (`thread/search-threads.ts`), or in the caller's own one (`engine/create-engine.ts`). */
export interface SearchRunner {
  search(viewer: Viewer, query: SearchQuery, client?: SearchClient): Promise<SearchResult>;
  /** Returns the first results of a search, at most `limit` of them, from its beginning. */
  list(viewer: Viewer, query: SearchQuery, limit: number, client?: SearchClient): Promise<SearchList>;
  /** Returns those of some nodes, in any order, that match an expression of FTS5, whoever may view them. */
  matching(condition: string, nids: readonly number[], client?: SearchClient): Promise<number[]>;
  suggest(viewer: Viewer, text: string, client?: SearchClient): Promise<Suggestion[]>;
}
