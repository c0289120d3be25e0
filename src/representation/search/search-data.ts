import type { Card } from '../../repository/content/lists/find-cards.ts';
import type { LinkedContent } from '../../repository/content/read/find-breadcrumbs.ts';
import type { SearchResult, SnippetPart } from '../../search/search-types.ts';
import type { SearchState } from './search-state.ts';

/** A search with its results, as the caller may view them. */
export interface SearchData extends Omit<SearchResult, 'items'> {
  readonly state: SearchState;
  /** The results of the shown page. */
  readonly hits: readonly SearchHit[];
  /** The chosen values of facets. */
  readonly chosen: readonly ChosenFilter[];
  /** The name of the facet that the page shows as a chart of decades, if it is configured. */
  readonly decadeFacet: string | undefined;
  /** The number of pages. */
  readonly pages: number;
  /** True if the caller may export the results for changes. */
  readonly mayChange: boolean;
}

export interface SearchHit {
  readonly card: Card;
  readonly snippet: readonly SnippetPart[];
  /** The first pages of a book that match. */
  readonly pages: readonly PageHit[];
  /** The number of its pages that match. */
  readonly pageCount: number;
  /** The first node that it is a member of. */
  readonly parent: LinkedContent | undefined;
}

/** A page of a book that matches. */
export interface PageHit {
  readonly id: number;
  readonly label: string;
  readonly language: string;
  readonly snippet: readonly SnippetPart[];
  /** The words of the search that its text has (`FoundPage.words`). */
  readonly words: string;
}

export interface ChosenFilter {
  /** The name and the label of its facet. */
  readonly name: string;
  readonly facet: string;
  /** The value and its label. */
  readonly value: string;
  readonly label: string;
}
