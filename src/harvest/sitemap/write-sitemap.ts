import { setImmediate } from 'node:timers/promises';
import { isoTime } from '../../base/in-words.ts';
import { XML_DECLARATION, xmlText } from '../../base/xml.ts';
import { entityPath, paths } from '../../paths.ts';
import {
  findLastChange,
  findPublished,
  type HarvestState,
  type ListedNode,
  PART_IDS,
  type SitemapNodes,
} from './find-addresses.ts';
import { sitemapPartPath } from './sitemap-part-path.ts';

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
/** The part with the pages of the site itself. The other parts are numbers. */
export const SITE_PART = 'site';

export interface SitemapSource extends SitemapNodes {
  /** Scheme, host and path, without a slash at the end. */
  readonly baseUrl: string;
  /** True if anonymous callers may view published nodes. */
  readonly isPublic: boolean;
}

/** Yields the index of all parts. A part without an address is left out. */
export async function* writeIndex(source: SitemapSource, { lastId, stamp }: HarvestState): AsyncGenerator<string> {
  const { baseUrl, isPublic } = source;
  yield `${XML_DECLARATION}<sitemapindex xmlns="${NAMESPACE}">\n`;
  yield entry('sitemap', baseUrl + sitemapPartPath(SITE_PART), isPublic ? stamp : undefined);
  for (let part = 0; isPublic && part * PART_IDS < lastId; part++) {
    const changed = await findLastChange(source, part);
    // Other requests proceed in between.
    await setImmediate();
    if (changed !== undefined) yield entry('sitemap', baseUrl + sitemapPartPath(part), changed);
  }
  yield '</sitemapindex>\n';
}

/** Yields a part with published nodes. */
export async function* writePart(source: SitemapSource, part: number): AsyncGenerator<string> {
  yield `${XML_DECLARATION}<urlset xmlns="${NAMESPACE}">\n`;
  for await (const batch of findPublished(source, part)) {
    yield batch.map((node) => entry('url', addressOf(node, source.baseUrl), node.stamp)).join('');
    await setImmediate();
  }
  yield '</urlset>\n';
}

/** Returns the part with the pages that lead to nodes. */
export function writeSitePart({ baseUrl }: SitemapSource): string {
  const pages = [paths.home, paths.collections].map((path) => entry('url', baseUrl + path, undefined));
  return `${XML_DECLARATION}<urlset xmlns="${NAMESPACE}">\n${pages.join('')}</urlset>\n`;
}

/** Returns the canonical address of a node: its alias, if it has one. */
function addressOf({ nid, alias }: ListedNode, baseUrl: string): string {
  return alias === null ? baseUrl + entityPath.node(nid) : xmlText(baseUrl + encodeURI(alias));
}

function entry(element: string, address: string, stamp: number | undefined): string {
  const changed = stamp === undefined ? '' : `<lastmod>${isoTime(stamp)}</lastmod>`;
  return `<${element}><loc>${address}</loc>${changed}</${element}>\n`;
}
