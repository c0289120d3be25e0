import { type Link, linkHeader } from '../../http/link-header.ts';
import { entityPath, paths } from '../../paths.ts';
import type { SnippetPart } from '../../search/search-types.ts';
import type { SearchData } from './search-data.ts';
import { readerPath, searchPages } from './search-links.ts';
import { type SearchState, searchAddress, withFilter } from './search-state.ts';

const FORMAT = '_format=json';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Returns the results of a search for programs. Addresses are absolute. */
export function searchJson({ state, total, hits, facets }: SearchData, baseUrl: string) {
  const addressOf = (each: SearchState) => jsonAddress(baseUrl, each);
  return {
    total,
    page: state.page,
    size: state.size,
    items: hits.map(({ card, snippet, pages, pageCount }) => ({
      nid: card.id,
      uuid: card.uuid,
      title: card.label,
      url: baseUrl + entityPath.node(card.id),
      type: card.bundle,
      model: card.model ?? null,
      thumbnail: card.thumbnail === undefined ? null : baseUrl + card.thumbnail.path,
      date: card.date ?? null,
      snippet: htmlOrNull(snippet.length > 0 ? snippet : (pages[0]?.snippet ?? [])),
      pageCount,
      pages: pages.map((page) => ({
        nid: page.id,
        title: page.label,
        url: baseUrl + entityPath.node(page.id),
        reader: page.words === '' ? null : baseUrl + readerPath(card.id, page),
        snippet: htmlOrNull(page.snippet),
      })),
    })),
    facets: facets
      .filter(({ values }) => values.length > 0)
      .map(({ name, label, values }) => ({
        name,
        label,
        values: values.map((each) => ({ ...each, url: addressOf(withFilter(state, { name, value: each.value })) })),
      })),
  };
}

/** Returns the `Link` header of a page of results: its neighbours. */
export function searchLinks(data: SearchData, baseUrl: string): string {
  const links = Object.entries(searchPages(data)).flatMap(([rel, state]: [string, SearchState | undefined]): Link[] =>
    state === undefined ? [] : [{ rel, href: jsonAddress(baseUrl, state), type: 'application/json' }],
  );
  return linkHeader(links);
}

function jsonAddress(baseUrl: string, state: SearchState): string {
  const address = baseUrl + searchAddress(paths.search, { ...state, view: 'list', more: undefined });
  return `${address}${address.includes('?') ? '&' : '?'}${FORMAT}`;
}

function htmlOrNull(snippet: readonly SnippetPart[]): string | null {
  return snippet.length === 0 ? null : snippetHtml(snippet);
}

/** Returns a snippet as HTML: escaped text with `<mark>` around the words of the search. */
function snippetHtml(parts: readonly SnippetPart[]): string {
  return parts.map(({ text, isMark }) => (isMark ? `<mark>${escaped(text)}</mark>` : escaped(text))).join('');
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (each) => ESCAPES[each] ?? each);
}
