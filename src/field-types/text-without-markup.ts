import type { Item } from '../model/content-model.ts';
import { textOf } from './page-view.ts';

/** Attributes may contain `>`. */
const TAG = /<(\/?[A-Za-z][A-Za-z0-9]*)(?:"[^"]*"|'[^']*'|[^"'>])*>/g;
/** Elements within a line of text. Others begin and end lines. */
const WITHIN_LINES =
  /^\/?(?:a|abbr|b|bdi|cite|code|del|em|i|img|ins|mark|q|s|small|span|strong|sub|sup|time|u|svg|circle|path|image|use|g)$/i;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&#039;': "'", '&amp;': '&' },
};

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
