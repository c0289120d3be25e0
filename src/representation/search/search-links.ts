import { pathOf } from '../../paths.ts';
import type { PageHit, SearchData } from './search-data.ts';
import type { SearchState } from './search-state.ts';

/** The other pages of a search. */
interface SearchPages {
  readonly first: SearchState;
  readonly prev: SearchState | undefined;
  readonly next: SearchState | undefined;
  readonly last: SearchState;
}

/**
 * Returns the neighbours of a page of results. The next one is a position: it is found as fast at any depth, and skips no
 * result if content is added meanwhile.
 */
export function searchPages({ state, next, pages }: SearchData): SearchPages {
  const at = (page: number): SearchState => ({ ...state, page, after: undefined });
  const last = Math.max(0, pages - 1);
  const { page } = state;
  return {
    first: at(0),
    prev: page === 0 ? undefined : at(Math.min(page - 1, last)),
    next: next === undefined ? undefined : { ...state, page: page + 1, after: next },
    last: at(last),
  };
}

/** Returns the path that opens a book at a page, with the words of a search marked. Without a page, that of all its pages with them. */
export function readerPath(book: number, { words, id }: Pick<PageHit, 'words'> & Partial<PageHit>): string {
  const query = new URLSearchParams({ q: words, ...(id !== undefined && { at: String(id) }) });
  return `${pathOf('nodeSearch', { node: book })}?${query}`;
}
