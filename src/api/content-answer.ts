import { madeOnce } from '../base/made-once.ts';
import { type Link, linkHeader, linksetJson, linksetText, linkValue } from '../http/link-header.ts';
import { paths } from '../paths.ts';
import { replaceSourceAccess } from '../repository/access.ts';
import { owns } from '../repository/access-rule.ts';
import type { Actor } from '../repository/actor.ts';
import type { Content } from '../repository/content/content.ts';
import { type FoundContent, MAX_LINKED_MEDIA, type SurroundingsScope } from '../repository/content/read-content.ts';
import type { Surroundings } from '../repository/content/surroundings.ts';
import { contentRight } from '../repository/core-right.ts';
import { contentEtag, contentRepresentation } from '../representation/content-json.ts';
import { linksFrom, type OpenLinks, openLinks } from '../representation/core-links.ts';
import { islandoraLinks } from '../representation/islandora-links.ts';
import { contentJsonLd } from '../representation/json-ld.ts';
import { descriptionLinks, linksetOf, signpostingLinks } from '../representation/signposting-links.ts';
import type { Call } from './call.ts';
import { gatherPage } from './content/gather-page.ts';
import type { GatheredPage } from './content/gathered-page.ts';
import { pageQuery, pageQueryKey } from './content/page-query.ts';
import { type Format, GRAPH_FORMATS, LINKSET_FORMATS } from './formats.ts';
import type { Representation } from './respond.ts';

/** Proxies reject longer headers. The linkset has the other links (decisions: repository, "link headers"). */
const MAX_HEADER_BYTES = 8 * 1024;
const MAX_HEADER_LINKS = MAX_LINKED_MEDIA;
/** The limit for long titles or addresses: clients reject a response head of more than 16 KiB. */
const MAX_SHORTENED_BYTES = 14 * 1024;

/** Returns the time of the last change, in seconds since 1970. Undefined if content lost a reference since, which sets no date. */
export function changedOf({ head }: Content): number | undefined {
  return head.isDangling ? undefined : head.changed;
}

/** Returns the ETag of the state of content, for a caller who changes it. */
export function etagFor({ api }: Call, content: Content): string {
  return contentEtag(content, api, '');
}

/** Returns the surroundings that a format needs: JSON uses them only for links. */
export function surroundingsFor(format: Format): SurroundingsScope {
  return format === 'json' ? 'for links' : 'always';
}

/**
 * Returns content in the requested format with its links, as the caller may view it. Throws `malformed` for an invalid query
 * of a page.
 */
export async function contentAnswer(call: Call, found: FoundContent): Promise<Representation> {
  if (call.format === 'html') return pageAnswer(call, found);
  const { answers } = call.api;
  const { validator } = found;
  const key = keyOf(call, found);
  const known = answers.get(key);
  if (known !== undefined && known.validator === validator) return known.answer;
  const answer = dataAnswer(call, found);
  if (validator !== undefined) answers.set(key, { answer, validator });
  return answer;
}

/** Returns the representation of content that the caller has just written. */
export async function writtenAnswer(call: Call, content: Content): Promise<Representation> {
  const { actor, api, format } = call;
  return contentAnswer(call, await api.content.complete(content, { actor, surroundings: surroundingsFor(format) }));
}

/** Roles are part of the configuration, which does not change while the program runs. */
function keyOf({ actor, format, isNegotiated, baseUrl }: Call, { content: { kind, head } }: FoundContent): string {
  return `${kind.type} ${head.id} ${format} ${isNegotiated} ${baseUrl} ${actor.id} ${actor.roles.join()} ${actor.name}`;
}

/**
 * Returns content as a page. Pages show more than the validator covers: a cached one is valid while the database is
 * unchanged, or while its further data is equal when it is read again.
 */
async function pageAnswer(call: Call, found: FoundContent): Promise<Representation> {
  const { answers, services } = call.api;
  const query = pageQuery(call.request);
  const { validator } = found;
  const key = `${keyOf(call, found)} ${pageQueryKey(query)}`;
  const cached = answers.get(key);
  const known = cached !== undefined && cached.validator === validator ? cached : undefined;
  // The stamp must precede the reads.
  const stamp = services.database.stamp();
  if (known?.page !== undefined && stamp !== undefined && known.page.stamp === stamp) return known.answer;
  const page = await gatherPage(call, found, query);
  const digest = new Bun.CryptoHasher('sha256').update(JSON.stringify(page.data)).digest('base64');
  if (known?.page?.digest === digest) {
    known.page.stamp = stamp;
    return known.answer;
  }
  const answer = renderPage(call, found, page);
  if (validator !== undefined) answers.set(key, { answer, validator, page: { digest, stamp } });
  return answer;
}

function renderPage(call: Call, found: FoundContent, page: GatheredPage): Representation {
  const { api } = call;
  const { content, surroundings, parsed } = found;
  const links = linksOf(call, found, 'html');
  const { body, contentType, headers, noncePlaceholder } = page.render(
    { content: parsed(), around: surroundings, links },
    call.pageSource,
  );
  const common = commonOf(call, content, linkHeaderOf(links, surroundings));
  return {
    ...common,
    body,
    contentType,
    noncePlaceholder,
    headers: { ...common.headers, ...headers },
    etag: contentEtag(content, api, `html ${body}${common.link}`),
  };
}

/** Returns content as JSON or as a graph. */
function dataAnswer(call: Call, found: FoundContent): Representation {
  const { api, actor, format, baseUrl } = call;
  const { content, surroundings, parsed } = found;
  const common = commonOf(call, content, linkHeaderOf(linksOf(call, found, format), surroundings));
  const etagOf = (seen: string) => contentEtag(content, api, `${format} ${seen}${common.link}`);
  if (format === 'jsonld') {
    const { model, fields } = api.services;
    const body = contentJsonLd(parsed(), { baseUrl, model, fieldTypes: fields.types }, surroundings);
    return { ...common, body, etag: etagOf(body), contentType: GRAPH_FORMATS.jsonld };
  }
  const { body, seen } = contentRepresentation(content, { actor, baseUrl });
  return { ...common, body, etag: etagOf(seen) };
}

/** Returns the members that all representations have. */
function commonOf({ api, format }: Call, content: Content, link: string) {
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

/** Returns all links of content and of its files as a document (RFC 9264). */
export function linksetAnswer(call: Call, found: FoundContent): Representation {
  const { api, format, baseUrl } = call;
  const { content, surroundings, parsed } = found;
  const { model } = api.services;
  const linkset = linksetOf(parsed(), surroundings, linksOf(call, found, undefined), { baseUrl, model });
  const body = format === 'linkset' ? linksetText(linkset) : linksetJson(linkset);
  return {
    body,
    etag: contentEtag(content, api, body),
    changed: changedOf(content),
    includesOthers: true,
    contentType: LINKSET_FORMATS[format],
  };
}

/**
 * Returns the links of content to what the caller may view: core links, and with the setting `allow_header_links` all
 * others (spec: repository, "Link headers on GET and HEAD"). `format` is undefined for a linkset.
 */
export function linksOf(
  call: Call,
  { content, surroundings, parsed, hasLinks }: FoundContent,
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
  return [
    ...core,
    ...islandoraLinks(parsed(), surroundings, {
      baseUrl,
      labelLanguage: model.defaultLanguage,
      format,
      mayEditSource,
      fieldTypes: fields.types,
    }),
    ...signpostingLinks(parsed(), surroundings, { baseUrl, model }),
    ...(format === 'jsonld' ? descriptionLinks(parsed(), baseUrl) : []),
  ];
}

/** The open core links of an actor, by the facts on which they depend. Anonymous callers share one actor. */
const openLinksOf = madeOnce((_actor: Actor) => new Map<string, OpenLinks>());

function coreLinksOf({ api, actor, baseUrl }: Call, { kind, head }: Content): Link[] {
  const { id, bundle, status, alias } = head;
  const known = openLinksOf(actor);
  const key = `${kind.type} ${bundle} ${status} ${owns(actor, head)}`;
  let open = known.get(key);
  if (open === undefined) {
    open = openLinks(kind.type, {
      offers: api.offers,
      may: (right) => contentRight(actor, kind, right, head).isAllowed,
    });
    // The rights on a media depend on its nodes, too.
    if (kind.type !== 'media') known.set(key, open);
  }
  return linksFrom(open, { type: kind.type, id, bundle, alias: alias ?? undefined }, baseUrl);
}

/** Returns the `Link` header of content: all links, or the first ones with the address of the linkset. */
function linkHeaderOf(links: readonly Link[], { hasMoreMedia }: Surroundings): string {
  const header = linkHeader(links);
  if (header.length <= MAX_HEADER_BYTES && !hasMoreMedia) return header;
  const linksets = links.filter(({ rel }) => rel === 'linkset');
  // Core links alone have no linkset.
  if (linksets.length === 0) return header;
  const others = links.filter(({ rel }) => rel !== 'linkset');
  return linkHeader([...thatFit(others.slice(0, MAX_HEADER_LINKS)), ...linksets]);
}

/** Returns the first links, up to the size of a shortened header. */
function thatFit(links: readonly Link[]): readonly Link[] {
  let bytes = 0;
  const end = links.findIndex((link) => {
    bytes += linkValue(link).length;
    return bytes > MAX_SHORTENED_BYTES;
  });
  return end < 0 ? links : links.slice(0, end);
}
