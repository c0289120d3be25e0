import type { Link } from '../http/link-header.ts';
import { linkHeader, linkValue } from '../http/link-header.ts';
import { paths } from '../paths.ts';
import { replaceSourceAccess } from '../repository/access.ts';
import type { Content, ParsedContent } from '../repository/content/content.ts';
import { MAX_LINKED_MEDIA } from '../repository/content/read-content.ts';
import type { Surroundings } from '../repository/content/surroundings.ts';
import { contentRight } from '../repository/core-right.ts';
import { coreLinks } from '../representation/core-links.ts';
import { islandoraLinks } from '../representation/islandora-links.ts';
import { descriptionLinks, signpostingLinks } from '../representation/signposting-links.ts';
import type { Call } from './call.ts';
import type { Format } from './formats.ts';

/** A header of more is refused by proxies; what a longer one would hold is in the linkset (decisions: repository, "link headers"). */
const MAX_HEADER_BYTES = 8 * 1024;
const MAX_HEADER_LINKS = MAX_LINKED_MEDIA;
/** Even so many are too long where titles or addresses are: programs refuse a whole head of 16 KiB, and servers answer one. */
const MAX_SHORTENED_BYTES = 14 * 1024;

/** Returns the core links of content for a caller. With the setting `allow_header_links` off, there are no others. */
export function coreLinksOf({ api, actor, baseUrl }: Call, { kind, head }: Content): Link[] {
  const { id, bundle, alias } = head;
  const entity = { type: kind.type, id, bundle, alias: alias ?? undefined };
  return coreLinks(entity, {
    baseUrl,
    offers: api.offers,
    may: (right) => contentRight(actor, kind, right, head).isAllowed,
  });
}

/**
 * Every link of content: the core ones, then ours, of what the caller may view (spec: repository, "Link headers on GET
 * and HEAD"). `format` is the representation that is answered, if it is one of the content itself.
 */
export function linksOf(call: Call, content: ParsedContent, around: Surroundings, format: Format | undefined): Link[] {
  const { baseUrl, actor, api } = call;
  const { head } = content;
  const { model, fields } = api.services;
  const mayEditSource =
    around.file !== undefined && api.offers('PUT', paths.mediaSource) && replaceSourceAccess(actor, head).isAllowed;
  return [
    ...coreLinksOf(call, content),
    ...islandoraLinks(content, around, {
      baseUrl,
      labelLanguage: model.defaultLanguage,
      format,
      mayEditSource,
      fieldTypes: fields.types,
    }),
    ...signpostingLinks(content, around, { baseUrl, model }),
    ...(format === 'jsonld' ? descriptionLinks(content, baseUrl) : []),
  ];
}

/** The `Link` header of content: all links, or as many as a proxy takes and where the rest of them is. */
export function linkHeaderOf(links: readonly Link[], { hasMoreMedia }: Surroundings): string {
  const header = linkHeader(links);
  if (header.length <= MAX_HEADER_BYTES && !hasMoreMedia) return header;
  const linksets = links.filter(({ rel }) => rel === 'linkset');
  // Without a linkset, which core links know nothing of, there is no other place for the rest.
  if (linksets.length === 0) return header;
  const others = links.filter(({ rel }) => rel !== 'linkset');
  return linkHeader([...thatFit(others.slice(0, MAX_HEADER_LINKS)), ...linksets]);
}

/** As many of the first links as a shortened header takes. */
function thatFit(links: readonly Link[]): readonly Link[] {
  let bytes = 0;
  const end = links.findIndex((link) => {
    bytes += linkValue(link).length;
    return bytes > MAX_SHORTENED_BYTES;
  });
  return end < 0 ? links : links.slice(0, end);
}
