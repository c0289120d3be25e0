import { countInWords } from '../../base/in-words.ts';
import type { SearchData } from '../../representation/search/search-data.ts';
import { isNarrowed, type SearchState } from '../../representation/search/search-state.ts';

/** The maximum number of characters of a search in a title. */
const MAX_TITLE_CHARACTERS = 60;

/** Returns the title of the page of a search: "ferry: search". */
export function searchTitle({ text }: SearchState): string {
  const characters = [...text.trim()];
  if (characters.length === 0) return 'Search';
  const shown = characters.slice(0, MAX_TITLE_CHARACTERS).join('');
  return `${shown}${shown.length < text.trim().length ? '…' : ''} · Search`;
}

/** Returns the number of results in words: "940 items", "All 5,213 items", "No items found". */
export function itemsFound({ total, state }: Pick<SearchData, 'total' | 'state'>): string {
  if (total === 0) return 'No items found';
  const isAll = total > 1 && state.text.trim() === '' && !isNarrowed(state);
  return `${isAll ? 'All ' : ''}${countedResults(total)}`;
}

/** Returns a number of results in words: "1 item", "940 items". */
export function countedResults(count: number): string {
  return countInWords(count, 'item');
}

/** Returns a range of years: "1890 to 1930", "from 1890", "until 1930". */
export function yearsText({ from, to }: Pick<SearchState, 'from' | 'to'>): string {
  if (from === undefined) return `until ${yearText(to ?? 0)}`;
  if (to === undefined) return `from ${yearText(from)}`;
  return from === to ? yearText(from) : `${yearText(from)} to ${yearText(to)}`;
}

/** Returns a year of EDTF, in which 0 is 1 BC. */
export function yearText(year: number): string {
  return year > 0 ? String(year) : `${1 - year} BC`;
}
