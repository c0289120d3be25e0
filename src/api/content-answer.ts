import { setImmediate } from 'node:timers/promises';
import type { Link } from '../http/link.ts';
import { linksetJson, linksetText } from '../http/linkset.ts';
import { type Content, type ParsedContent, parseDocument } from '../repository/content/content.ts';
import type { ContentType } from '../repository/content/kinds.ts';
import { NOTHING_AROUND, NOTHING_ASKED, type Surroundings } from '../repository/content/surroundings.ts';
import type { DatedSettings } from '../repository/settings/find-settings.ts';
import { contentEtag, contentRepresentation } from '../representation/content-json.ts';
import { contentJsonLd } from '../representation/json-ld.ts';
import { linksetOf } from '../representation/signposting-links.ts';
import { isStillTrue, type RememberedAnswer } from './answer-memory.ts';
import type { Call } from './call.ts';
import { coreLinksOf, linkHeaderOf, linksOf, MAX_LINKED_MEDIA } from './entity-links.ts';
import { GRAPH_FORMATS, LINKSET_FORMATS } from './formats.ts';
import type { Representation } from './respond.ts';

const FIRST_MEDIA = { limit: MAX_LINKED_MEDIA, offset: 0 };
/** So many media are looked up at once for a linkset. */
const LINKSET_BATCH = 500;

/** When content changed, in seconds since 1970. Undefined for what lost a reference since: that left no date. */
export function changedOf({ head }: Content): number | undefined {
  return head.isDangling ? undefined : head.changed;
}

/** The ETag of content for whoever is about to change it: of its state alone. */
export function etagFor({ api }: Call, content: Content): string {
  return contentEtag(content, api, '');
}

/**
 * What `contentAnswer` has answered before, with its content, if nobody has written anything since (`stamp`): then
 * nothing has to be read. Whether the caller may view it is still to be asked.
 */
export function unchangedAnswer(
  call: Call,
  type: ContentType,
  id: number | undefined,
  stamp: number | undefined,
): RememberedAnswer<Representation> | undefined {
  if (id === undefined || stamp === undefined) return undefined;
  return call.api.answers.findTrue(keyOf(call, type, id), stamp);
}

/** Which answer it is, whatever its content and what is around that. */
function keyOf({ actor, format, isNegotiated, baseUrl }: Call, type: ContentType, id: number): string {
  // Roles are part of the configuration, which does not change while the program runs.
  return `${type} ${id} ${format} ${isNegotiated} ${baseUrl} ${actor.id} ${actor.roles.join()} ${actor.name}`;
}

/**
 * Content in the representation that is asked for, as the caller may see it, with its links: made, or taken from
 * memory after finding that everything it was made from is as it was. Settings are read unless they are given.
 * `stamp` is the database's from before the content was read; left out, the next who asks has to find all that again.
 */
export async function contentAnswer(
  call: Call,
  content: Content,
  settings?: DatedSettings,
  stamp?: number,
): Promise<Representation> {
  const { api, actor, format } = call;
  const { findSurroundings, answers, services } = api;
  const { kind, head } = content;
  const { generation, value } = settings ?? (await api.findSettings());
  const { allow_header_links: areOursOn } = value;
  // Of the terms that are known: others may have changed one since, or this process may not have learned of it yet.
  const present = services.database.knownGeneration() ?? generation;
  const key = keyOf(call, kind.type, head.id);
  const remembered = answers.find(key, content);
  // The links of a term lead to nothing that it refers to, unless they are configured to.
  const isLinked = kind.type !== 'taxonomy_term' || services.model.signposting.taxonomy_term.has(head.bundle);
  // A paragraph is part of something else, which has all the links.
  const hasOurs = areOursOn && kind.type !== 'paragraph';
  const isAroundNeeded = format !== 'json' || (hasOurs && isLinked);
  let parsed: ParsedContent | undefined;
  const whole = () => {
    parsed ??= parseDocument(content);
    return parsed;
  };
  const ask = () => (isAroundNeeded ? findSurroundings.ask(whole(), actor, FIRST_MEDIA) : NOTHING_ASKED);
  // In another generation it may be another question.
  const question = remembered?.generation === present ? remembered.question : ask();
  const said = await findSurroundings.read(question);
  const { texts } = said;
  if (remembered !== undefined && isStillTrue(remembered, texts, present)) {
    remembered.stamp = stamp;
    return remembered.answer;
  }
  const around = isAroundNeeded ? await findSurroundings.build(whole(), actor, question, said) : NOTHING_AROUND;
  const links = hasOurs ? linksOf(call, whole(), around, format) : coreLinksOf(call, content);
  const answer = render(call, content, whole, around, links);
  // Of settings of one generation and terms of another: true now, and in neither of them.
  if (generation !== present) return answer;
  const chars = String(answer.body).length + (answer.link?.length ?? 0);
  // By now the terms are known.
  const asked = { ...question, termIds: [] };
  answers.remember({ key, content, question: asked, texts, generation, answer, stamp }, chars);
  return answer;
}

function render(
  { api, actor, format, baseUrl }: Call,
  content: Content,
  whole: () => ParsedContent,
  around: Surroundings,
  links: readonly Link[],
): Representation {
  const { model } = api.services;
  const link = linkHeaderOf(links, around);
  const language = { 'Content-Language': languageOf(content) ?? model.defaultLanguage };
  const common = { link, changed: changedOf(content), tellsOfOthers: format !== 'json', headers: language };
  const etagOf = (seen: string) => contentEtag(content, api, `${format} ${seen}${link}`);
  if (format === 'html') {
    const page = api.pages.content(whole(), around, links, { actor, baseUrl, siteName: api.siteName, model });
    return { ...common, ...page, headers: { ...language, ...page.headers }, etag: etagOf(page.body) };
  }
  if (format === 'jsonld') {
    const body = contentJsonLd(whole(), { baseUrl, model }, around);
    return { ...common, body, etag: etagOf(body), contentType: GRAPH_FORMATS.jsonld };
  }
  const { body, seen } = contentRepresentation(content, { actor, baseUrl });
  return { ...common, body, etag: etagOf(seen) };
}

/** The language of content, as its document says at its beginning: it need not be taken apart for that. */
function languageOf({ document }: Content): string | undefined {
  return /"langcode":\[\{"value":"([\w-]+)"/.exec(document)?.[1];
}

/** All links of content and of its files as a document (RFC 9264), whatever their number. */
export async function linksetAnswer(
  call: Call,
  found: Content,
  { value: { allow_header_links: areOursOn } }: DatedSettings,
): Promise<Representation> {
  const { api, format, baseUrl } = call;
  const content = parseDocument(found);
  const around = areOursOn ? await findAllAround(call, content) : NOTHING_AROUND;
  const links = areOursOn ? linksOf(call, content, around, undefined) : coreLinksOf(call, content);
  const linkset = linksetOf(content, around, links, { baseUrl, model: api.services.model });
  const body = format === 'linkset' ? linksetText(linkset) : linksetJson(linkset);
  return {
    body,
    etag: contentEtag(content, api, body),
    changed: changedOf(content),
    tellsOfOthers: true,
    contentType: LINKSET_FORMATS[format],
  };
}

/** With every media of a node, however many: in batches, between which others get their turn. */
async function findAllAround({ api, actor }: Call, content: ParsedContent): Promise<Surroundings> {
  const { findSurroundings } = api;
  const findFrom = async (offset: number) => {
    const question = findSurroundings.ask(content, actor, { limit: LINKSET_BATCH, offset });
    return findSurroundings.build(content, actor, question, await findSurroundings.read(question));
  };
  const first = await findFrom(0);
  const media = new Map(first.media.map((each) => [each.id, each]));
  for (let batch = first, offset = LINKSET_BATCH; batch.hasMoreMedia; offset += LINKSET_BATCH) {
    await setImmediate();
    batch = await findFrom(offset);
    for (const each of batch.media) media.set(each.id, each);
  }
  return { ...first, media: [...media.values()], hasMoreMedia: false };
}
