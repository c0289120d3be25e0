import { textOf } from '../../field-types/page-view.ts';
import type { Item } from '../../model/content-model.ts';

/** Attributes may contain `>`. */
const TAG = /<(\/?[A-Za-z][A-Za-z0-9]*)(?:"[^"]*"|'[^']*'|[^"'>])*>/g;
/** Elements within a line of text. Others begin and end lines. */
const WITHIN_LINES =
  /^\/?(?:a|abbr|b|bdi|cite|code|del|em|i|img|ins|mark|q|s|small|span|strong|sub|sup|time|u|svg|circle|path|image|use|g)$/i;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&#039;': "'", '&amp;': '&' },
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters.
const SPACES = /[\s\u0000-\u001f\u007f]+/g;

/** Returns a text on one line, without control characters, cut after a word at `maxCharacters`. */
export function oneLine(text: string, maxCharacters: number): string {
  const line = text.replace(SPACES, ' ').trim();
  if (line.length <= maxCharacters) return line;
  const cut = line.slice(0, maxCharacters - 1).replace(/[\ud800-\udbff]$/, '');
  const end = cut.lastIndexOf(' ');
  return `${end > maxCharacters / 2 ? cut.slice(0, end) : cut}…`;
}

/** Returns the text of HTML of this program, whose elements other than those within lines begin a new line. */
export function textOfMarkup(html: string): string {
  return html
    .replace(TAG, (_tag, name: string) => (WITHIN_LINES.test(name) ? '' : '\n'))
    .replace(/&(?:lt|gt|quot|#0?39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\n\s*\n/g, '\n')
    .trim();
}

/** Returns the text of an item with a text format without its markup. Undefined for other items. */
export function textWithoutMarkup({ processed }: Item): string | undefined {
  const html = textOf(processed);
  return html && textOfMarkup(html);
}
