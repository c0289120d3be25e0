import { type TObject, Type as t } from '@sinclair/typebox';
import { malformed } from '../base/errors.ts';
import { numberText } from '../base/in-words.ts';
import type { ContentModel } from '../model/content-model.ts';
import {
  DEFAULT_SIZE,
  EVERYTHING,
  FILTER_PREFIX,
  MAX_QUERY_CHARACTERS,
  PAGE_CHOICES,
  SEARCH_VIEWS,
  type SearchState,
  TABLE_COLUMNS,
  usualState,
} from '../representation/search/search-state.ts';
import { MAX_SIZE, SORT_ORDERS } from '../search/search-types.ts';
import { parametersOf } from './formats.ts';
import { parameter, queryOf } from './parameters.ts';

/** Maximum number of chosen values. The address of each facet value contains them. */
const MAX_FILTERS = 30;
const MAX_SHOWN_CHARACTERS = 20;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a search has no control characters.
const CONTROLS = /[\u0000-\u001f\u007f]+/g;

const number = (name: string, minimum: number, maximum: number, description: string) =>
  t.Optional(
    parameter(
      { type: 'integer', minimum, maximum, description },
      (text) => /^-?\d{1,9}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum,
      (value) => invalid(name, `a number from ${minimum} to ${maximum}`, value),
    ),
  );

function choice<Name extends string>(name: string, names: readonly Name[], description: string) {
  return t.Optional(
    parameter<Name>(
      { type: 'string', enum: names, default: names[0], description },
      (text) => names.some((each) => each === text),
      (value) => invalid(name, `one of ${names.join(', ')}`, value),
    ),
  );
}

const FIELDS = {
  q: t.Optional(t.String({ description: 'The search as a reader types it. Without it, all items are found.' })),
  from: number('from', -9999, 9999, 'The first year of a date range. 0 is 1 BC.'),
  to: number('to', -9999, 9999, 'The last year of a date range.'),
  sort: choice('sort', SORT_ORDERS, 'The order of the results.'),
  view: choice('view', SEARCH_VIEWS, 'The layout of the page.'),
  pages: choice(
    'pages',
    PAGE_CHOICES,
    'Whether the pages of a book that match are one result with their book, or each a result of its own.',
  ),
  size: number('size', 1, MAX_SIZE, `The number of results on a page (default: ${DEFAULT_SIZE}).`),
  page: number('page', 0, 999_999_999, 'The page, from 0. With `after` it is only a number in the response.'),
  after: t.Optional(
    t.String({ description: 'The position behind which the results begin, from the `Link` of the page before.' }),
  ),
  columns: choice('columns', TABLE_COLUMNS, 'The columns of the results as CSV.'),
  more: t.Optional(t.String({ description: 'The facet that the page shows with all values.' })),
};

/** Returns the schema of the query of a search, with a parameter for each facet of the content model. */
export function searchQuery({ search }: ContentModel): TObject<typeof FIELDS> {
  const facets = search.facets.map(({ name, label }) => [
    FILTER_PREFIX + name,
    t.Optional(t.String({ description: `${label}: a value of this facet. May be repeated.` })),
  ]);
  return queryOf({ ...FIELDS, ...Object.fromEntries(facets) });
}

/** The query of a search as its schema has checked it. */
interface CheckedQuery {
  readonly q?: string;
  readonly from?: string;
  readonly to?: string;
  readonly sort?: SearchState['sort'];
  readonly view?: SearchState['view'];
  readonly pages?: SearchState['pages'];
  readonly size?: string;
  readonly page?: string;
  readonly after?: string;
  readonly columns?: (typeof TABLE_COLUMNS)[number];
  readonly more?: string;
}

/** Returns the state of a query. Throws `malformed` for an unknown facet, too many filters, or years in the wrong order. */
export function searchState({ url }: Pick<Request, 'url'>, query: CheckedQuery, model: ContentModel): SearchState {
  const { q = '', from, to, sort, view, pages, size, page, after, more } = query;
  const [first, last] = [from, to].map((year) => (year === undefined ? undefined : Number(year)));
  if (first !== undefined && last !== undefined && first > last)
    throw malformed(`The year "from" (${first}) must not be later than the year "to" (${last}).`);
  if (more !== undefined) requireFacet(more, 'more', model);
  return usualState({
    text: q.replace(CONTROLS, ' ').slice(0, MAX_QUERY_CHARACTERS).toWellFormed(),
    filters: filtersOf(url, model),
    from: first,
    to: last,
    sort: sort ?? EVERYTHING.sort,
    view: view ?? EVERYTHING.view,
    pages: pages ?? EVERYTHING.pages,
    size: Number(size ?? DEFAULT_SIZE),
    page: Number(page ?? 0),
    after,
    more,
  });
}

/** A year of an address. */
const YEAR = /^-?\d{1,4}$/;

/** Returns the state of the query of an address, such as `q=harbour&from=1900`. Throws `malformed` for one that no search page has. */
export function searchStateOf(query: string, model: ContentModel): SearchState {
  const { searchParams, href } = new URL(`?${query}`, 'http://localhost');
  const [from, to] = [searchParams.get('from') ?? undefined, searchParams.get('to') ?? undefined];
  for (const year of [from, to])
    if (year !== undefined && !YEAR.test(year)) throw malformed('A year of the search must be a number.');
  const pages = PAGE_CHOICES.find((each) => each === searchParams.get('pages'));
  const conditions = {
    q: searchParams.get('q') ?? '',
    ...(from && { from }),
    ...(to && { to }),
    ...(pages && { pages }),
  };
  return searchState({ url: href }, conditions, model);
}

/** Returns sentences about the parts of a query that its state leaves out. */
export function leftOut({ q = '' }: CheckedQuery): string[] {
  if (q.length <= MAX_QUERY_CHARACTERS) return [];
  return [`Only the first ${numberText(MAX_QUERY_CHARACTERS)} characters are searched.`];
}

function filtersOf(url: string, model: ContentModel): SearchState['filters'] {
  const filters: Record<string, string[]> = {};
  let count = 0;
  for (const [parameter, value] of parametersOf(url)) {
    if (!parameter.startsWith(FILTER_PREFIX) || value === '') continue;
    const name = parameter.slice(FILTER_PREFIX.length);
    requireFacet(name, parameter, model);
    filters[name] ??= [];
    if (filters[name].includes(value)) continue;
    filters[name].push(value);
    count += 1;
    if (count > MAX_FILTERS) throw malformed(`A search must have at most ${MAX_FILTERS} filters.`);
  }
  // Each state has one address, and a position belongs to it.
  for (const values of Object.values(filters)) values.sort();
  return filters;
}

function requireFacet(name: string, parameter: string, { search: { facets } }: ContentModel): void {
  if (facets.some((facet) => facet.name === name)) return;
  const known = facets.map((facet) => facet.name).join(', ');
  throw malformed(
    `The query parameter "${parameter.slice(0, 2 * MAX_SHOWN_CHARACTERS)}" names an unknown facet. The facets are ${known}.`,
  );
}

function invalid(name: string, expected: string, value: unknown) {
  return malformed(
    `The query parameter "${name}" must be ${expected}, found "${String(value).slice(0, MAX_SHOWN_CHARACTERS)}".`,
  );
}
