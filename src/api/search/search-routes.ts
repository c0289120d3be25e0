import { Type as t } from '@sinclair/typebox';
import { etagOf } from '../../http/etag.ts';
import type { Expense } from '../../http/work-budget.ts';
import type { Facet } from '../../model/search-model.ts';
import { searchPage } from '../../pages/search/search-page.tsx';
import { paths } from '../../paths.ts';
import { type Card, findCardsOf } from '../../repository/content/lists/find-cards.ts';
import { findFirstParents } from '../../repository/content/read/find-breadcrumbs.ts';
import { nodeOverviewAccess } from '../../repository/core-right.ts';
import type { ChosenFilter, PageHit, SearchData, SearchHit } from '../../representation/search/search-data.ts';
import { searchJson, searchLinks } from '../../representation/search/search-json.ts';
import { filterList, type SearchState } from '../../representation/search/search-state.ts';
import { searchNodes } from '../../search/search-nodes.ts';
import type { SearchItem, SearchResult } from '../../search/search-types.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { type Formats, PAGE_AND_JSON_FORMATS } from '../../web/formats.ts';
import { describe, JSON_TYPE, PAGE_CONTENT, READ_CONDITIONS, versioned } from '../../web/openapi/describe.ts';
import { empty, type Representation, representation, VARY_BY_ACCEPT } from '../../web/respond.ts';
import { leftOut, searchQuery, searchState } from '../../web/search-query.ts';
import { listAnswer, listCaching } from '../../web/shared-answers.ts';
import { spend } from '../../web/spend.ts';
import { searchResults } from './search-schemas.ts';
import { answerTable, CSV_TYPE } from './search-table.ts';
import { usualAddress } from './usual-address.ts';

const FORMATS: Formats = { ...PAGE_AND_JSON_FORMATS, csv: CSV_TYPE };

/** The route of the search, as a page, as JSON and as a table. */
export function searchRoutes(api: ApiServices) {
  const query = searchQuery(api.services.model);
  return resource(api).get(paths.search, ({ call, query }) => answerSearch(call, query), {
    check: { resource: 'search', formats: FORMATS },
    query,
    detail: describe({
      operationId: 'search',
      tag: 'search',
      summary: 'Search items',
      description:
        'Words, "phrases", prefix*, -without, OR, title:, subject:, creator: and identifier:. Results, totals, facets and snippets cover what the caller may view. `Link` has the neighbouring pages. CSV has all results, at most 100,000, with `X-Total-Count`, and in `X-Repo-Notice` what the table lacks. With `columns=changes` it is a table of changes, as `repo export --for-update` writes it.',
      headers: READ_CONDITIONS,
      responses: {
        301: { description: 'The page at its usual address.', headers: ['Location', 'Cache-Control'] },
        ...versioned(
          'The results.',
          { ...PAGE_CONTENT, [JSON_TYPE]: searchResults, [CSV_TYPE]: t.String({ description: 'A table in UTF-8.' }) },
          ['Content-Security-Policy', 'Link', 'X-Total-Count', 'X-Repo-Notice'],
        ),
      },
      failures: [400, 412],
    }),
  });
}

async function answerSearch(call: Call, query: Parameters<typeof searchState>[1]): Promise<Response> {
  const { api, baseUrl, request, format } = call;
  const { services } = api;
  const state = searchState(request, query, services.model);
  if (format === 'csv') {
    const { columns = 'results' } = query;
    return answerTable(call, state, { ignored: leftOut(query), columns });
  }
  const skipped = leftOut(query);
  // The page says what was left out of the address as it is.
  const usual = format === 'html' && skipped.length === 0 ? usualAddress(request, state, baseUrl) : undefined;
  if (usual !== undefined)
    return empty(301, { Location: usual, 'Cache-Control': listCaching(call), Vary: VARY_BY_ACCEPT });
  const name = `${paths.search} ${skipped.length} ${JSON.stringify(state)}`;
  return representation(
    call,
    await listAnswer(call, name, () => spend(call, 'search', (expense) => createAnswer(call, state, skipped, expense))),
  );
}

async function createAnswer(
  call: Call,
  state: SearchState,
  skipped: readonly string[],
  expense: Expense,
): Promise<Representation> {
  const { text, filters, from, to, sort, size, page, after } = state;
  const query = { text, filters, from, to, sort, size, page, after, groupsPages: state.pages === 'together' };
  // The thread of searches reports its own time.
  const result = await searchNodes(call.api, call.actor, query, call.client);
  const begun = performance.now();
  try {
    return await describeResult(call, state, skipped, result);
  } finally {
    expense.add(performance.now() - begun);
  }
}

async function describeResult(
  call: Call,
  state: SearchState,
  skipped: readonly string[],
  result: SearchResult,
): Promise<Representation> {
  const { baseUrl, format, site } = call;
  const results = await readResults(call, state, result);
  const mayChange = nodeOverviewAccess(call.actor).isAllowed;
  const data = { ...results, mayChange, ignored: [...skipped, ...results.ignored] };
  if (format === 'html') {
    const page = searchPage(data, site);
    return { ...page, etag: etagOf(page.body), changed: undefined };
  }
  const [body, link] = [JSON.stringify(searchJson(data, baseUrl)), searchLinks(data, baseUrl)];
  return { body, link, etag: etagOf(`${body}${link}`), changed: undefined };
}

/** Reads the cards of results; for a page, also what they belong to. */
async function readResults(
  { api, actor, format }: Call,
  state: SearchState,
  { items, ...result }: SearchResult,
): Promise<Omit<SearchData, 'mayChange'>> {
  const { facets: configured } = api.services.model.search;
  const ids = items.map(({ nid }) => nid);
  const [cards, parents] = await Promise.all([
    findCardsOf(api.services, actor, [
      ...new Set(items.flatMap(({ nid, pages }) => [nid, ...pages.map((page) => page.nid)])),
    ]),
    findFirstParents(api.services, actor, format === 'html' ? ids : []),
  ]);
  const cardOf = new Map(cards.map((card) => [card.id, card]));
  return {
    ...result,
    state,
    hits: items.flatMap((item) => hitOf(item, cardOf, parents.get(item.nid)) ?? []),
    decadeFacet: configured.find(({ kind }) => kind === 'decade')?.name,
    chosen: chosenFilters(state, result, configured),
    pages: Math.ceil(result.total / state.size),
  };
}

/** Returns a result with its pages. Undefined for one that the caller may no longer view. */
function hitOf(
  { nid, snippet, pages, pageCount }: SearchItem,
  cards: ReadonlyMap<number, Card>,
  parent: SearchHit['parent'],
): SearchHit | undefined {
  const card = cards.get(nid);
  if (card === undefined) return undefined;
  const shown = pages.flatMap((page): PageHit[] => {
    const its = cards.get(page.nid);
    if (its === undefined) return [];
    return [{ id: its.id, label: its.label, language: its.language, snippet: page.snippet, words: page.words }];
  });
  return { card, snippet, parent, pages: shown, pageCount };
}

/** Returns the filters of a search with their labels. A value that no item has is its own label. */
function chosenFilters(
  { filters }: SearchState,
  { facets }: Pick<SearchResult, 'facets'>,
  configured: readonly Facet[],
): ChosenFilter[] {
  return filterList(filters).map(({ name, value }) => {
    const facetValue = facets.find((facet) => facet.name === name)?.values.find((each) => each.value === value);
    const facet = configured.find((each) => each.name === name);
    const unknown = facet?.kind === 'decade' ? `${value}s` : value;
    return { name, facet: facet?.label ?? name, value, label: facetValue?.label ?? unknown };
  });
}
