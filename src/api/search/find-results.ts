import type { Facet } from '../../model/search-model.ts';
import { findCardsOf } from '../../repository/content/find-cards.ts';
import { findFirstParents } from '../../repository/content/find-first-parents.ts';
import type { ChosenFilter, SearchData } from '../../representation/search/search-data.ts';
import { filterList, type SearchState } from '../../representation/search/search-state.ts';
import { searchNodes } from '../../search/search-nodes.ts';
import type { SearchResult } from '../../search/search-types.ts';
import type { Call } from '../../web/call.ts';

/** Runs a search for a caller, and reads the cards of its results; for a page, also what they belong to. */
export async function findResults({ api, actor, format, request }: Call, state: SearchState): Promise<SearchData> {
  const { facets: configured } = api.services.model.search;
  const { text, filters, from, to, sort, size, page, after } = state;
  const query = { text, filters, from, to, sort, size, page, after };
  const { items, ...result } = await searchNodes(api, actor, query, request.signal);
  const ids = items.map(({ nid }) => nid);
  const [cards, parents] = await Promise.all([
    findCardsOf(api.services, actor, ids),
    findFirstParents(api.services, actor, format === 'html' ? ids : []),
  ]);
  const snippets = new Map(items.map(({ nid, snippet }) => [nid, snippet]));
  return {
    ...result,
    state,
    hits: cards.map((card) => ({ card, snippet: snippets.get(card.id) ?? [], parent: parents.get(card.id) })),
    decadeFacet: configured.find(({ kind }) => kind === 'decade')?.name,
    chosen: chosenFilters(state, result, configured),
    pages: Math.ceil(result.total / size),
  };
}

/** Returns the filters of a search with their labels. A value that no item has is its own label. */
function chosenFilters(
  { filters }: SearchState,
  { facets }: Pick<SearchResult, 'facets'>,
  configured: readonly Facet[],
): ChosenFilter[] {
  return filterList(filters).map(({ name, value }) => {
    const found = facets.find((facet) => facet.name === name)?.values.find((each) => each.value === value);
    const facet = configured.find((each) => each.name === name);
    const unknown = facet?.kind === 'decade' ? `${value}s` : value;
    return { name, facet: facet?.label ?? name, value, label: found?.label ?? unknown };
  });
}
