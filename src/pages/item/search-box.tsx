import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { pathOf } from '../../paths.ts';
import type { View } from '../view.ts';

/** The maximum length of a query that the box accepts. */
const MAX_CHARS = 1_000;

/** The box that searches the text of the pages of an item. */
export function SearchBox({ view, query = '' }: { view: View; query?: string }) {
  const { content, root, language } = view;
  return (
    <search class="search-within" {...langWithin(PAGE_LANGUAGE, language)}>
      <form action={root + pathOf('nodeSearch', { node: content.head.id })}>
        <label for="search-within">Search in this item</label>
        <input id="search-within" type="search" name="q" value={query} maxLength={MAX_CHARS} required dir="auto" />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}
