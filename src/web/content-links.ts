import { madeOnce } from '../base/made-once.ts';
import { type Link, linkHeader, linkValue } from '../http/link-header.ts';
import { paths } from '../paths.ts';
import { replaceSourceAccess } from '../repository/access.ts';
import { owns } from '../repository/access-rule.ts';
import type { Actor } from '../repository/actor.ts';
import type { Content } from '../repository/content/content.ts';
import type { ContentInContext } from '../repository/content/read/read-content.ts';
import type { Surroundings } from '../repository/content/read/surroundings.ts';
import { contentRight } from '../repository/core-right.ts';
import { contentEtag } from '../representation/content-json.ts';
import { linksFrom, type OpenLinks, openLinks } from '../representation/core-links.ts';
import { islandoraLinks } from '../representation/islandora-links.ts';
import { descriptionLinks, recordLinks, signpostingLinks } from '../representation/signposting-links.ts';
import type { Call } from './call.ts';
import type { Format } from './formats.ts';

/**
 * Proxies with default settings reject a response head of more than 4 KiB, of which the other headers of a page take almost
 * one. The linkset has the other links (decision 90).
 */
const MAX_HEADER_BYTES = 3_000;
/** Between two links: a comma and a space. */
const SEPARATOR_BYTES = 2;

/** Returns the time of the last change, in seconds since 1970. Undefined if content lost a reference since, which sets no date. */
export function changedOf({ head }: Content): number | undefined {
  return head.isDangling ? undefined : head.changed;
}

/** Returns the ETag of the state of content, for a caller who changes it. */
export function etagFor({ api }: Call, content: Content): string {
  return contentEtag(content, api, '');
}

/** Returns the key of a representation. Roles are part of the configuration, which is constant while the program runs. */
export function answerKey({ api, actor, format, isNegotiated, baseUrl }: Call, name: string): string {
  return `${name} ${api.siteVersion} ${format} ${isNegotiated} ${baseUrl} ${actor.id} ${actor.roles.join()} ${actor.name} ${actor.sight.version} ${api.services.access.today}`;
}

/** Returns the members that all representations have. */
export function commonOf({ api, format }: Call, content: Content, link: string) {
  return {
    link,
    changed: changedOf(content),
    includesOthers: format !== 'json',
    headers: { 'Content-Language': languageOf(content) ?? api.services.model.defaultLanguage },
  };
}

/** Returns the language of content from the beginning of its document, which need not be parsed for that. */
export function languageOf({ document }: Content): string | undefined {
  return /"langcode":\[\{"value":"([\w-]+)"/.exec(document)?.[1];
}

/**
 * Returns the links of content to what the caller may view: core links, and with the setting `allow_header_links` all
 * others (spec: repository, "Link headers on GET and HEAD"). `format` is undefined for a linkset. A short header omits the
 * last ones first, those to records before all others.
 */
export function linksOf(
  call: Call,
  { content, surroundings, parsed, hasLinks }: ContentInContext,
  format: Format | undefined,
) {
  const core = coreLinksOf(call, content);
  if (!hasLinks) return core;
  const { baseUrl, actor, api } = call;
  const { model, fields } = api.services;
  const mayEditSource =
    surroundings.file !== undefined &&
    api.offers('PUT', paths.mediaSource) &&
    replaceSourceAccess(actor, content.head).isAllowed;
  const own = referencesLast([
    ...core,
    ...islandoraLinks(parsed(), surroundings, {
      baseUrl,
      labelLanguage: model.defaultLanguage,
      format,
      mayEditSource,
      fieldTypes: fields.types,
    }),
    ...signpostingLinks(parsed(), surroundings, { baseUrl, model }),
    ...(format === undefined || format === 'json' || format === 'html' ? [] : descriptionLinks(parsed(), baseUrl)),
  ]);
  return [...own, ...recordLinks(content, baseUrl, model)];
}

/** Returns links with those to other content last. */
function referencesLast(links: readonly Link[]): Link[] {
  const isReference = ({ rel }: Link) => rel === 'related' || rel === 'tag';
  return [...links.filter((link) => !isReference(link)), ...links.filter(isReference)];
}

/** The open core links of an actor, by the facts on which they depend. Anonymous callers share one actor. */
const openLinksOf = madeOnce((_actor: Actor) => new Map<string, OpenLinks>());

function coreLinksOf({ api, actor, baseUrl }: Call, { kind, head }: Content): Link[] {
  const { id, bundle, status, alias } = head;
  const known = openLinksOf(actor);
  const key = `${kind.type} ${bundle} ${status} ${owns(actor, head)}`;
  let open = head.accessSet === 0 ? known.get(key) : undefined;
  if (open === undefined) {
    open = openLinks(kind.type, {
      offers: api.offers,
      may: (right) => contentRight(actor, kind, right, head).isAllowed,
    });
    // The rights on a media depend on its nodes, too, and those on restricted content on its rules.
    if (kind.type !== 'media' && head.accessSet === 0) known.set(key, open);
  }
  return linksFrom(open, { type: kind.type, id, bundle, alias: alias ?? undefined }, baseUrl);
}

/**
 * Returns the `Link` header of content: all links, all but those to records of harvesters, or those of them that fit with the
 * address of the linkset.
 */
export function linkHeaderOf(all: readonly Link[], { hasMoreMedia }: Surroundings): string {
  const whole = linkHeader(all);
  if (whole.length <= MAX_HEADER_BYTES && !hasMoreMedia) return whole;
  const links = all.filter(({ profile }) => profile === undefined);
  const header = linkHeader(links);
  if (header.length <= MAX_HEADER_BYTES && !hasMoreMedia) return header;
  const linksets = links.filter(({ rel }) => rel === 'linkset');
  // Core links alone have no linkset.
  if (linksets.length === 0) return header;
  let bytes = linkHeader(linksets).length;
  const fitting = links.filter((link) => {
    if (link.rel === 'linkset') return false;
    const length = linkValue(link).length + SEPARATOR_BYTES;
    if (bytes + length > MAX_HEADER_BYTES) return false;
    bytes += length;
    return true;
  });
  return linkHeader([...fitting, ...linksets]);
}
