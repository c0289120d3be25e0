import { isoTime } from '../../base/in-words.ts';
import { XML_DECLARATION, xmlAttribute, xmlText } from '../../base/xml.ts';
import { entityPath } from '../../paths.ts';
import type { Card } from '../../repository/content/lists/find-cards.ts';
import type { NodeTimes } from '../../repository/content/lists/find-node-times.ts';

/** The media type of a feed. */
export const ATOM_TYPE = 'application/atom+xml';

/** A list of newest items. */
export interface Feed {
  readonly siteName: string;
  /** Scheme, host and path, without a slash at the end. */
  readonly baseUrl: string;
  /** The path of the feed, and that of the page with the same list. */
  readonly path: string;
  readonly page: string;
  readonly title: string;
  readonly language: string | undefined;
  /** The time of the last change of the list itself, for a list without items. In seconds since 1970. */
  readonly changed: number;
  readonly items: readonly FeedItem[];
}

export interface FeedItem {
  readonly card: Card;
  readonly times: NodeTimes;
}

/** Returns a list of items as a feed (RFC 4287). Thumbnails are those of Media RSS, which feed readers show. */
export function writeFeed(feed: Feed): string {
  const { siteName, baseUrl, path, page, title, language, items } = feed;
  const self = baseUrl + path;
  const changed = items.reduce(
    (latest, { times }) => Math.max(latest, times.changed),
    items.length > 0 ? 0 : feed.changed,
  );
  return `${XML_DECLARATION}<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"${languageOf(language)}>
<id>urn:uuid:${Bun.randomUUIDv5(self, 'url')}</id>
<title>${xmlText(title)}</title>
<updated>${isoTime(changed)}</updated>
<author><name>${xmlText(siteName)}</name></author>
${link('self', ATOM_TYPE, self)}
${link('alternate', 'text/html', baseUrl + page)}
${items.map((item) => writeEntry(item, baseUrl)).join('')}</feed>
`;
}

function writeEntry({ card, times }: FeedItem, baseUrl: string): string {
  const { id, label, language, model, thumbnail } = card;
  const address = baseUrl + (times.alias === null ? entityPath.node(id) : encodeURI(times.alias));
  const size = (name: string, pixels: number | undefined) => (pixels === undefined ? '' : ` ${name}="${pixels}"`);
  const picture =
    thumbnail &&
    `<media:thumbnail url="${xmlAttribute(baseUrl + thumbnail.path)}"${size('width', thumbnail.width)}${size('height', thumbnail.height)}/>\n`;
  return `<entry${languageOf(language)}>
<id>urn:uuid:${times.uuid}</id>
<title>${xmlText(label)}</title>
<published>${isoTime(times.created)}</published>
<updated>${isoTime(times.changed)}</updated>
${link('alternate', 'text/html', address)}
${model === undefined ? '' : `<category term="${xmlAttribute(model)}"/>\n`}${picture ?? ''}</entry>
`;
}

function link(rel: string, type: string, address: string): string {
  return `<link rel="${rel}" type="${type}" href="${xmlAttribute(address)}"/>`;
}

function languageOf(language: string | undefined): string {
  return language === undefined ? '' : ` xml:lang="${xmlAttribute(language)}"`;
}
