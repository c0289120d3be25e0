import { refined, SEARCH_VIEWS, type SearchState } from '../../representation/search/search-state.ts';
import { Choice, VIEW_NAMES } from '../cards/list-choices.tsx';
import type { LinkTo } from './search-linker.ts';

const SORT_NAMES: readonly (readonly [SearchState['sort'], string])[] = [
  ['relevance', 'Relevance'],
  ['title', 'Title'],
  ['date', 'Date'],
  ['newest', 'Newest'],
];

/** The orders and layouts of the results, each with an address. A search without words has no relevance. */
export function ResultChoices({ state, linkTo }: { state: SearchState; linkTo: LinkTo }) {
  const hasWords = state.text.trim() !== '';
  const current = !hasWords && state.sort === 'relevance' ? 'newest' : state.sort;
  return (
    <nav class="choices" aria-label="Order and layout">
      <p>
        <span>Sort by</span>
        {SORT_NAMES.filter(([sort]) => hasWords || sort !== 'relevance').map(([sort, name]) => (
          <Choice key={sort} isCurrent={sort === current} address={linkTo(refined(state, { sort }))}>
            {name}
          </Choice>
        ))}
      </p>
      <p>
        <span>Show as</span>
        {SEARCH_VIEWS.map((view) => (
          <Choice key={view} isCurrent={view === state.view} address={linkTo({ ...state, view })}>
            {VIEW_NAMES[view]}
          </Choice>
        ))}
      </p>
    </nav>
  );
}
