import type { Link } from '../http/link.ts';
import { linksetJson, linksetText } from '../http/linkset.ts';
import { type Content, type ParsedContent, parseDocument } from '../repository/content/content.ts';
import { NOTHING_AROUND, NOTHING_ASKED, type Surroundings } from '../repository/content/surroundings.ts';
import { contentEtag, contentRepresentation } from '../representation/content-json.ts';
import { contentJsonLd } from '../representation/json-ld.ts';
import { linksetOf } from '../representation/signposting-links.ts';
import { isStillTrue } from './answer-memory.ts';
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
 * Content in the representation that is asked for, as the caller may see it, with its links: made, or taken from
 * memory after finding that everything it was made from is as it was.
 */
export async function contentAnswer(call: Call, content: Content): Promise<Representation> {
  const { api, actor, format, baseUrl, isNegotiated } = call;
  const { findSurroundings, answers, services } = api;
  const { kind, head } = content;
  // First of all: what is read after it may be newer, and is then made again, but is never older than it says.
  const generation = await services.database.generation();
  const { allow_header_links: areOursOn } = await api.findSettings();
  // Roles are part of the configuration, which does not change while the program runs.
  const who = `${actor.id} ${actor.roles.join()} ${actor.name}`;
  const key = `${kind.type} ${head.id} ${format} ${isNegotiated} ${baseUrl} ${who}`;
  const remembered = answers.find(key, content);
  // The links of a term lead to nothing that it refers to, unless they are configured to.
  const isLinked = kind.type !== 'taxonomy_term' || services.model.signposting.taxonomy_term.has(head.bundle);
  const isAroundNeeded = format !== 'json' || (areOursOn && isLinked);
  let parsed: ParsedContent | undefined;
  const whole = () => {
    parsed ??= parseDocument(content);
    return parsed;
  };
  const ask = () => (isAroundNeeded ? findSurroundings.ask(whole(), actor, FIRST_MEDIA) : NOTHING_ASKED);
  // In another generation it may be another question.
  const question = remembered?.generation === generation ? remembered.question : ask();
  const texts = await findSurroundings.read(question);
  if (remembered !== undefined && isStillTrue(remembered, texts, generation)) return remembered.answer;
  const around = isAroundNeeded ? await findSurroundings.build(whole(), actor, question, texts) : NOTHING_AROUND;
  const links = areOursOn ? linksOf(call, whole(), around, format) : coreLinksOf(content, baseUrl);
  const answer = render(call, content, whole, around, links);
  const chars = String(answer.body).length + (answer.link?.length ?? 0);
  answers.remember({ key, content, question, texts, generation, answer }, chars);
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
export async function linksetAnswer(call: Call, found: Content): Promise<Representation> {
  const { api, format, baseUrl } = call;
  const content = parseDocument(found);
  const { allow_header_links: areOursOn } = await api.findSettings();
  const around = areOursOn ? await findAllAround(call, content) : NOTHING_AROUND;
  const links = areOursOn ? linksOf(call, content, around, undefined) : coreLinksOf(content, baseUrl);
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
    await new Promise((resolve) => setImmediate(resolve));
    batch = await findFrom(offset);
    for (const each of batch.media) media.set(each.id, each);
  }
  return { ...first, media: [...media.values()], hasMoreMedia: false };
}
