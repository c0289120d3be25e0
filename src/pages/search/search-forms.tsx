import type { ComponentChildren } from 'preact';
import { paths } from '../../paths.ts';
import type { SearchData } from '../../representation/search/search-data.ts';
import {
  EVERYTHING,
  filterCount,
  refined,
  type SearchState,
  searchParameters,
} from '../../representation/search/search-state.ts';
import { HiddenParameters } from '../find-box.tsx';

/** The ids of the forms of a search page, each with the parameters that its buttons keep. */
const FORMS = {
  /** Adds a filter, or shows a facet with all values. */
  narrow: (state: SearchState) => refined(state, {}),
  sort: (state: SearchState) => refined(state, { sort: EVERYTHING.sort }),
  view: (state: SearchState) => ({ ...state, view: EVERYTHING.view }),
} as const;

/** The forms of the buttons of a search page. Robots follow links, and send no forms. */
export function SearchForms({ state, root }: { state: SearchState; root: string }) {
  return Object.entries(FORMS).map(([name, kept]) => (
    <form key={name} id={`search-${name}`} action={root + paths.search} hidden>
      <HiddenParameters parameters={searchParameters(kept(state))} />
    </form>
  ));
}

interface ButtonProps {
  readonly form: keyof typeof FORMS;
  readonly name: string;
  readonly value: string;
  readonly isCurrent?: boolean;
  readonly class?: string;
  /** The address with a fragment at which the page opens. */
  readonly action?: string;
  readonly children: ComponentChildren;
}

/** A button that looks like a link, and adds a parameter to the search. */
export function SearchButton({ form, name, value, isCurrent = false, class: kind, action, children }: ButtonProps) {
  return (
    <button
      type="submit"
      form={`search-${form}`}
      formAction={action}
      name={name}
      value={value}
      class={kind === undefined ? 'as-link' : `as-link ${kind}`}
      aria-current={isCurrent ? 'true' : undefined}
    >
      {children}
    </button>
  );
}

/** The number of filters that links can choose. More are chosen by buttons, so that robots find few addresses. */
const LINKED_FILTERS = 2;

/**
 * Returns true if the values of facets are links. The second filter has links only for results that fill more than a page:
 * the combinations of all values are many, and mostly find the same few items.
 */
export function linksFacets({ state, total }: Pick<SearchData, 'state' | 'total'>): boolean {
  const count = filterCount(state);
  return count === 0 || (count < LINKED_FILTERS && total > state.size);
}
