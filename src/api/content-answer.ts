import { Cache } from '../base/cache.ts';
import type { Link } from '../http/link-header.ts';
import { linksetJson, linksetText } from '../http/linkset.ts';
import type { ContentType } from '../repository/access-rule.ts';
import type { Content } from '../repository/content/content.ts';
import type { FoundContent, WantedSurroundings } from '../repository/content/read-content.ts';
import { contentEtag, contentRepresentation } from '../representation/content-json.ts';
import { contentJsonLd } from '../representation/json-ld.ts';
import { linksetOf } from '../representation/signposting-links.ts';
import type { Call } from './call.ts';
import { coreLinksOf, linkHeaderOf, linksOf } from './entity-links.ts';
import { type Format, GRAPH_FORMATS, LINKSET_FORMATS } from './formats.ts';
import type { Representation } from './respond.ts';

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_ENTRY_BYTES = 64 * 1024;

/** A representation with the validator of the content that it was made from. */
interface ValidAnswer {
  readonly answer: Representation;
  readonly validator: number;
}

/** Representations of content, per caller and address. */
export type ContentAnswers = Cache<ValidAnswer>;

export function createContentAnswers(): ContentAnswers {
  return new Cache({
    maxBytes: MAX_BYTES,
    maxEntryBytes: MAX_ENTRY_BYTES,
    bytesOf: ({ answer }) => answer.body.length + (answer.link?.length ?? 0),
  });
}

/** Returns the time of the last change, in seconds since 1970; undefined if a reference was lost since, which left no date. */
export function changedOf({ head }: Content): number | undefined {
  return head.isDangling ? undefined : head.changed;
}

/** Returns the ETag of content for a caller who is about to change it: of its state alone. */
export function etagFor({ api }: Call, content: Content): string {
  return contentEtag(content, api, '');
}

/** Returns which surroundings a format needs: JSON shows them in its links only. */
export function surroundingsFor(format: Format): WantedSurroundings {
  return format === 'json' ? 'for links' : 'always';
}

/** Returns content in the requested representation, as the caller may see it, with its links. */
export function contentAnswer(call: Call, found: FoundContent): Representation {
  const { answers } = call.api;
  const { kind, head } = found.content;
  const key = keyOf(call, kind.type, head.id);
  const known = answers.get(key);
  if (known !== undefined && known.validator === found.validator) return known.answer;
  const answer = render(call, found);
  if (found.validator !== undefined) answers.set(key, { answer, validator: found.validator });
  return answer;
}

/** Returns the representation of content that the caller has just written. */
export async function writtenAnswer(call: Call, content: Content): Promise<Representation> {
  const { actor, api, format } = call;
  return contentAnswer(call, await api.content.complete(content, { actor, surroundings: surroundingsFor(format) }));
}

/** Roles are part of the configuration, which does not change while the program runs. */
function keyOf({ actor, format, isNegotiated, baseUrl }: Call, type: ContentType, id: number): string {
  return `${type} ${id} ${format} ${isNegotiated} ${baseUrl} ${actor.id} ${actor.roles.join()} ${actor.name}`;
}

function linksFor(call: Call, found: FoundContent, format: Format | undefined): Link[] {
  const { content, surroundings, parsed, hasLinks } = found;
  return hasLinks ? linksOf(call, parsed(), surroundings, format) : coreLinksOf(call, content);
}

function render(call: Call, found: FoundContent): Representation {
  const { api, actor, format, baseUrl } = call;
  const { model, fields } = api.services;
  const { content, surroundings, parsed } = found;
  const links = linksFor(call, found, format);
  const link = linkHeaderOf(links, surroundings);
  const language = { 'Content-Language': languageOf(content) ?? model.defaultLanguage };
  const common = { link, changed: changedOf(content), tellsOfOthers: format !== 'json', headers: language };
  const etagOf = (seen: string) => contentEtag(content, api, `${format} ${seen}${link}`);
  if (format === 'html') {
    const page = api.pages.content(parsed(), surroundings, links, {
      actor,
      baseUrl,
      siteName: api.siteName,
      model,
      fieldTypes: fields.types,
    });
    return { ...common, ...page, headers: { ...language, ...page.headers }, etag: etagOf(page.body) };
  }
  if (format === 'jsonld') {
    const body = contentJsonLd(parsed(), { baseUrl, model, fieldTypes: fields.types }, surroundings);
    return { ...common, body, etag: etagOf(body), contentType: GRAPH_FORMATS.jsonld };
  }
  const { body, seen } = contentRepresentation(content, { actor, baseUrl });
  return { ...common, body, etag: etagOf(seen) };
}

/** Returns the language of content from the beginning of its document, which need not be parsed for that. */
function languageOf({ document }: Content): string | undefined {
  return /"langcode":\[\{"value":"([\w-]+)"/.exec(document)?.[1];
}

/** Returns all links of content and of its files as a document (RFC 9264), however many there are. */
export function linksetAnswer(call: Call, found: FoundContent): Representation {
  const { api, format, baseUrl } = call;
  const { content, surroundings, parsed } = found;
  const linkset = linksetOf(parsed(), surroundings, linksFor(call, found, undefined), {
    baseUrl,
    model: api.services.model,
  });
  const body = format === 'linkset' ? linksetText(linkset) : linksetJson(linkset);
  return {
    body,
    etag: contentEtag(content, api, body),
    changed: changedOf(content),
    tellsOfOthers: true,
    contentType: LINKSET_FORMATS[format],
  };
}
