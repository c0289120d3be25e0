import type { SnippetPart } from '../../search/search-types.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Returns a snippet as HTML: escaped text with `<mark>` around the words of the search. */
export function snippetHtml(parts: readonly SnippetPart[]): string {
  return parts.map(({ text, isMark }) => (isMark ? `<mark>${escaped(text)}</mark>` : escaped(text))).join('');
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (each) => ESCAPES[each] ?? each);
}
