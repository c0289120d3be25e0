import type { Link } from '../http/link.ts';
import { linkHeader, linkValue } from '../http/link-header.ts';
import { replaceSourceAccess } from '../repository/access.ts';
import type { Content, ParsedContent } from '../repository/content/content.ts';
import type { Surroundings } from '../repository/content/surroundings.ts';
import { coreLinks } from '../representation/core-links.ts';
import { islandoraLinks } from '../representation/islandora-links.ts';
import { descriptionLinks, linksetLinks, signpostingLinks } from '../representation/signposting-links.ts';
import type { Call } from './call.ts';
import type { Format } from './formats.ts';

/** A header of more is refused by proxies; what a longer one would hold is in the linkset (decisions: repository, "link headers"). */
const MAX_HEADER_BYTES = 8 * 1024;
const MAX_HEADER_LINKS = 100;
/** Even so many are too long where titles or addresses are: programs refuse a whole head of 16 KiB, and servers answer one. */
const MAX_SHORTENED_BYTES = 14 * 1024;
/** Of a node: with more of them, the header is too long in any case. */
export const MAX_LINKED_MEDIA = MAX_HEADER_LINKS;

/**
 * Every link of content: the core ones, which are the same for everyone, then ours, of what the caller may view.
 * `format` is the representation that is answered, if it is one of the content itself. The setting
 * `allow_header_links` switches ours off (spec: repository, "Link headers on GET and HEAD").
 */
export function linksOf(
  { baseUrl, actor, api }: Call,
  content: ParsedContent,
  around: Surroundings,
  areOursOn: boolean,
  format: Format | undefined,
): Link[] {
  const { kind, head, members } = content;
  const { id, bundle, revisionId } = head;
  const alias = members.path?.[0]?.alias;
  const core = coreLinks(
    kind.type,
    { id, bundle, revisionId: revisionId ?? 0, alias: typeof alias === 'string' ? alias : undefined },
    baseUrl,
  );
  if (!areOursOn) return core;
  const mayEditSource = around.file !== undefined && replaceSourceAccess(actor, head).isAllowed;
  return [
    ...core,
    ...islandoraLinks(content, around, { baseUrl, format, mayEditSource }),
    ...signpostingLinks(content, around, { baseUrl, model: api.services.model }),
    ...(format === 'jsonld' ? descriptionLinks(content, baseUrl) : []),
  ];
}

/** The `Link` header of content: all links, or as many as a proxy takes and where the rest of them is. */
export function linkHeaderOf(content: Content, around: Surroundings, links: readonly Link[], baseUrl: string): string {
  const header = linkHeader(links);
  if (header.length <= MAX_HEADER_BYTES && !around.hasMoreMedia) return header;
  const linksets = linksetLinks(content, baseUrl);
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
