import type { Card } from '../../src/repository/content/lists/find-cards.ts';
import type { SearchData } from '../../src/representation/search/search-data.ts';
import { EVERYTHING, type SearchState } from '../../src/representation/search/search-state.ts';

/** Returns the card of a node. */
export function card(changes: Partial<Card> = {}): Card {
  const id = changes.id ?? 1;
  return {
    id,
    uuid: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
    ...{ bundle: 'islandora_object', label: `Item ${id}`, language: 'en', isPublished: true, isRestricted: false },
    ...{
      model: 'Image',
      icon: undefined,
      date: '1929~',
      members: undefined,
      thumbnail: undefined,
      isPrepared: false,
      failure: undefined,
    },
    isGuest: false,
    ...changes,
  };
}

/** Returns the results of a search: none, unless `changes` has some. */
export function searchData(changes: Partial<SearchData> = {}, state: Partial<SearchState> = {}): SearchData {
  const total = changes.total ?? changes.hits?.length ?? 0;
  const shown = { ...EVERYTHING, ...state };
  return {
    state: shown,
    ...{ total, hits: [], facets: [], decades: [], chosen: [], ignored: [], sort: 'relevance' },
    decadeFacet: undefined,
    pages: Math.ceil(total / shown.size),
    mayChange: false,
    ...changes,
  };
}
