import { writeRecord } from '../../harvest/oai/write-records.ts';
import { linksetJson, linksetText } from '../../http/link-header.ts';
import type { HarvestFormat } from '../../model/harvest-model.ts';
import { pageAnswer } from '../../pages/content/page-answer.ts';
import { ALLOWED, type ContentType } from '../../repository/access-rule.ts';
import type { Content } from '../../repository/content/content.ts';
import type { ContentInContext, SurroundingsScope } from '../../repository/content/read/read-content.ts';
import { contentEtag, contentRepresentation } from '../../representation/content-json.ts';
import { contentJsonLd } from '../../representation/json-ld.ts';
import { linksetOf } from '../../representation/signposting-links.ts';
import type { Call } from '../../web/call.ts';
import { answerKey, changedOf, commonOf, linkHeaderOf, linksOf } from '../../web/content-links.ts';
import { noteUse } from '../../web/count-use.ts';
import { type Format, GRAPH_FORMATS, LINKSET_FORMATS, queryText } from '../../web/formats.ts';
import type { Representation } from '../../web/respond.ts';

/**
 * Returns the content that the path names in the requested format with its links; undefined if it does not exist. Throws 401 or
 * 403 if the caller may not view it, and `malformed` for an invalid query of a page.
 */
export async function shownAnswer(call: Call, type: ContentType): Promise<Representation | undefined> {
  const { answers } = call.api;
  // It counts if the answer succeeds.
  if (type === 'node' && call.format === 'html') noteUse(call, 'page', call.id('node'));
  // The state must precede the reads.
  const state = answers.state();
  const key = answerKey(call, `${type} ${call.id(type)} ${queryText(call.request)}`);
  const cached = answers.get(key);
  if (cached !== undefined) {
    call.allow(ALLOWED);
    return cached;
  }
  const entity = await call.readContent(type, surroundingsFor(call.format));
  if (entity === undefined) return undefined;
  call.allow(entity.access);
  const answer = await contentAnswer(call, entity);
  answers.set(key, answer, { state });
  return answer;
}

/** Returns content in the requested format with its links, as the caller may view it. */
async function contentAnswer(call: Call, entity: ContentInContext): Promise<Representation> {
  if (call.format === 'html') return pageAnswer(call, entity);
  const harvested = isDataFormat(call.format) ? undefined : call.api.services.model.harvest.formats.get(call.format);
  return harvested === undefined ? dataAnswer(call, entity) : recordAnswer(call, entity, harvested);
}

function isDataFormat(format: Format): boolean {
  return Object.hasOwn(GRAPH_FORMATS, format);
}

/** Returns a node in a format of harvesters, as the caller may view it. */
async function recordAnswer(call: Call, entity: ContentInContext, format: HarvestFormat): Promise<Representation> {
  const { api, actor, baseUrl } = call;
  const { content, surroundings, parsed } = entity;
  const { model, database, fields } = api.services;
  const services = { model, database, fieldTypes: fields.types, kinds: api.kinds, terms: api.knownTerms };
  const record = { ...services, viewer: actor, siteName: api.siteName };
  const body = await writeRecord(record, baseUrl, format, parsed());
  const common = commonOf(call, content, linkHeaderOf(linksOf(call, entity, call.format), surroundings));
  const etag = contentEtag(content, api, `${call.format} ${body}${common.link}`);
  return { ...common, body, etag, contentType: format.mediaType };
}

/** Returns the representation of content that the caller has just written. */
export async function writtenAnswer(call: Call, content: Content): Promise<Representation> {
  const { actor, api, format } = call;
  return contentAnswer(call, await api.content.complete(content, { actor, surroundings: surroundingsFor(format) }));
}

/** Returns all links of content and of its files as a document (RFC 9264). */
export function linksetAnswer(call: Call, entity: ContentInContext): Representation {
  const { api, format, baseUrl } = call;
  const { content, surroundings, parsed } = entity;
  const { model } = api.services;
  const linkset = linksetOf(parsed(), surroundings, linksOf(call, entity, undefined), { baseUrl, model });
  const body = format === 'linkset' ? linksetText(linkset) : linksetJson(linkset);
  return {
    body,
    etag: contentEtag(content, api, body),
    changed: changedOf(content),
    includesOthers: true,
    contentType: LINKSET_FORMATS[format],
  };
}

/** Returns content as JSON or as a graph. */
function dataAnswer(call: Call, entity: ContentInContext): Representation {
  const { api, actor, format, baseUrl } = call;
  const { content, surroundings, parsed } = entity;
  const common = commonOf(call, content, linkHeaderOf(linksOf(call, entity, format), surroundings));
  const etagOf = (seen: string) => contentEtag(content, api, `${format} ${seen}${common.link}`);
  if (format === 'jsonld') {
    const { model, fields } = api.services;
    const rights = actor.rightsOf(content.head.accessSet);
    const body = contentJsonLd(parsed(), { baseUrl, model, fieldTypes: fields.types }, surroundings, rights);
    return { ...common, body, etag: etagOf(body), contentType: GRAPH_FORMATS.jsonld };
  }
  const { body, seen } = contentRepresentation(content, { actor, baseUrl });
  return { ...common, body, etag: etagOf(seen) };
}

/** Returns the surroundings that a format needs: JSON uses them only for links. */
function surroundingsFor(format: Format): SurroundingsScope {
  return format === 'json' ? 'for links' : 'always';
}
