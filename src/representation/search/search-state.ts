import { SORT_ORDERS, type SortOrder } from '../../search/search-types.ts';

/** The layouts of search results. The first one is the default. */
export const SEARCH_VIEWS = ['list', 'grid'] as const;
/** The columns of results as a table: those of results, or those of a table of changes. */
export const TABLE_COLUMNS = ['results', 'changes'] as const;
/** The place of pages: with their book, or each as a result of its own. The first one is the default. */
export const PAGE_CHOICES = ['together', 'separate'] as const;
/** The default number of results on a page. */
export const DEFAULT_SIZE = 20;
/** The maximum number of characters of a search. */
export const MAX_QUERY_CHARACTERS = 1_000;
/** The maximum number of results in a table. */
export const MAX_TABLE_ROWS = 100_000;
/** The parameters of filters are the names of facets after this. */
export const FILTER_PREFIX = 'f.';

/** The chosen values by the name of their facet. */
type SearchFilters = Readonly<Record<string, readonly string[]>>;

/** A search of a reader, and the presentation of its results. Each state has one address. */
export interface SearchState {
  readonly text: string;
  readonly filters: SearchFilters;
  /** The first and the last year of a date range. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly sort: SortOrder;
  readonly view: (typeof SEARCH_VIEWS)[number];
  readonly pages: (typeof PAGE_CHOICES)[number];
  /** The number of results on a page. */
  readonly size: number;
  /** The page, from 0. Beside `after` it only numbers the page. */
  readonly page: number;
  /** The position behind which the results begin, from the result before (`SearchResult.next`). */
  readonly after: string | undefined;
  /** The facet that the page shows with all its values. */
  readonly more: string | undefined;
}

/** A search for everything. */
export const EVERYTHING: SearchState = {
  text: '',
  filters: {},
  from: undefined,
  to: undefined,
  sort: SORT_ORDERS[0],
  view: SEARCH_VIEWS[0],
  pages: PAGE_CHOICES[0],
  size: DEFAULT_SIZE,
  page: 0,
  after: undefined,
  more: undefined,
};

/** Returns true for a search with words. Without any, results are sorted by newest, and pages are listed like all other items. */
export function hasWords({ text }: Pick<SearchState, 'text'>): boolean {
  return text.trim() !== '';
}

/** Returns the same search in the form that all equal ones have: without spaces around words, and choices without effect. */
export function usualState(state: SearchState): SearchState {
  const text = state.text.replace(/\s+/g, ' ').trim();
  if (hasWords({ text })) return { ...state, text };
  const sort = state.sort === 'newest' ? EVERYTHING.sort : state.sort;
  return { ...state, text, sort, pages: EVERYTHING.pages };
}

/** Returns the number of filters of a state. A date range counts as one. */
export function filterCount({ filters, from, to }: SearchState): number {
  return filterList(filters).length + Number(from !== undefined || to !== undefined);
}

/** Returns the parameters of a state, in a fixed order: those that differ from `EVERYTHING`. */
export function searchParameters(state: SearchState): [name: string, value: string][] {
  const { text, filters, from, to, sort, view, pages, size, page, after, more } = state;
  const parameters: [string, string | number | undefined][] = [
    ['q', text || undefined],
    ...filterList(filters).map(({ name, value }): [string, string] => [FILTER_PREFIX + name, value]),
    ['from', from],
    ['to', to],
    ['sort', sort === EVERYTHING.sort ? undefined : sort],
    ['view', view === EVERYTHING.view ? undefined : view],
    ['pages', pages === EVERYTHING.pages ? undefined : pages],
    ['size', size === EVERYTHING.size ? undefined : size],
    ['page', page || undefined],
    ['after', after],
    ['more', more],
  ];
  return parameters.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
}

/** Returns the address of a state below the path of the search page. */
export function searchAddress(path: string, state: SearchState): string {
  const query = new URLSearchParams(searchParameters(state));
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Returns the parameters of all results of a state as a table. */
export function tableParameters(state: SearchState): [name: string, value: string][] {
  const all = { ...refined(state, {}), view: EVERYTHING.view, size: EVERYTHING.size };
  return [...searchParameters(all), ['_format', 'csv']];
}

/** A chosen value of a facet. */
interface Filter {
  readonly name: string;
  readonly value: string;
}

/** Returns the filters as a list, by name and value. */
export function filterList(filters: SearchFilters): Filter[] {
  return Object.keys(filters)
    .sort()
    .flatMap((name) => [...(filters[name] ?? [])].sort().map((value) => ({ name, value })));
}

/** Returns a state with other conditions, which begins at its first page. */
export function refined(state: SearchState, changes: Partial<SearchState>): SearchState {
  return { ...state, page: 0, after: undefined, more: undefined, ...changes };
}

/** Returns a state with one more filter. */
export function withFilter(state: SearchState, { name, value }: Filter): SearchState {
  const values = new Set([...(state.filters[name] ?? []), value]);
  return refined(state, { filters: { ...state.filters, [name]: [...values] } });
}

/** Returns a state without one of its filters. */
export function withoutFilter(state: SearchState, { name, value }: Filter): SearchState {
  const values = (state.filters[name] ?? []).filter((each) => each !== value);
  const { [name]: _, ...others } = state.filters;
  return refined(state, { filters: values.length === 0 ? others : { ...others, [name]: values } });
}

/** Returns true for a state with a filter or a date range. */
export function isNarrowed(state: SearchState): boolean {
  return filterCount(state) > 0;
}
