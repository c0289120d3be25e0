import type { AnchoredLinks, Link } from '../http/link-header.ts';
import type { ContentModel } from '../model/content-model.ts';
import type { SignpostingRules } from '../model/signposting.ts';
import { entityPath, filePath } from '../paths.ts';
import type { Content, ParsedContent } from '../repository/content/content.ts';
import type { Neighbour, SourceFile, Surroundings } from '../repository/content/read/surroundings.ts';
import { addressesOf, findCited } from './signpost-addresses.ts';

/** The configuration of links. */
interface LinkSource {
  readonly baseUrl: string;
  readonly model: Pick<ContentModel, 'signposting'>;
}

/**
 * Returns the links of the FAIR Signposting Profile as configured (config/signposting.yaml): cite-as, author, type,
 * license, item, collection, describedby and linkset, each target once. Targets that the caller may not view are
 * missing in `around`.
 */
export function signpostingLinks(content: ParsedContent, around: Surroundings, { baseUrl, model }: LinkSource): Link[] {
  const { kind, bundle, members } = content;
  const rules = model.signposting[kind.type].get(bundle.name);
  const canonical = canonicalUrl(content, baseUrl);
  const links: Link[] = [];
  const addAll = (rel: 'author' | 'type' | 'license' | 'collection') => {
    const addresses = rules ? addressesOf(rules[rel], rel, members, around, baseUrl) : [];
    for (const href of new Set(addresses)) links.push({ href, rel });
  };
  const cited = (rules && findCited(members, rules.citeAs)) ?? (kind.type === 'node' ? canonical : undefined);
  if (cited !== undefined) links.push({ href: cited, rel: 'cite-as' });
  addAll('author');
  addAll('type');
  addAll('license');
  const files = signpostedFiles(content, around, rules?.item ?? []);
  const types = new Map(files.map(({ file }) => [baseUrl + filePath(file.uri), file.filemime]));
  for (const [href, type] of types) links.push({ href, rel: 'item', type });
  addAll('collection');
  links.push(descriptionLink(canonical), ...linksetLinks(content, baseUrl));
  return links;
}

/** Returns the links from a harvested node to its records in the formats of harvesters. */
export function recordLinks(content: Content, baseUrl: string, { harvest }: Pick<ContentModel, 'harvest'>): Link[] {
  const { kind, bundle } = content;
  if (kind.type !== 'node' || !harvest.nodeTypes.has(bundle.name)) return [];
  const canonical = canonicalUrl(content, baseUrl);
  return Array.from(harvest.formats.values(), ({ prefix, mediaType, namespace }) => {
    const href = `${canonical}?_format=${encodeURIComponent(prefix)}`;
    return { href, rel: 'describedby', type: mediaType, profile: namespace };
  });
}

/** Returns the links to the link set of content, in both formats. Terms have no link set. */
export function linksetLinks(content: Content, baseUrl: string): Link[] {
  if (content.kind.type === 'taxonomy_term') return [];
  const href = `${canonicalUrl(content, baseUrl)}/linkset`;
  return [
    { href, rel: 'linkset', type: 'application/linkset+json' },
    { href: `${href}?_format=linkset`, rel: 'linkset', type: 'application/linkset' },
  ];
}

/**
 * Returns the link set of content: its own links, links from its descriptions to it, and links from each of its files to it
 * and to the description of the file (FAIR Signposting Profile, level 2: responses with files carry no links).
 */
export function linksetOf(
  content: Content,
  around: Surroundings,
  ownLinks: readonly Link[],
  { baseUrl, model }: LinkSource,
): AnchoredLinks[] {
  const canonical = canonicalUrl(content, baseUrl);
  const rules = model.signposting[content.kind.type].get(content.bundle.name);
  const files = signpostedFiles(content, around, rules?.item ?? []);
  return [
    { anchor: canonical, links: ownLinks },
    ...ownLinks
      .filter(({ rel }) => rel === 'describedby')
      .map(({ href }) => ({ anchor: href, links: descriptionLinks(content, baseUrl) })),
    ...files.map(({ file, mediaId }) => ({
      anchor: baseUrl + filePath(file.uri),
      links: [
        { href: canonical, rel: 'collection', type: 'text/html' },
        descriptionLink(baseUrl + entityPath.media(mediaId)),
      ],
    })),
  ];
}

/** Returns the link from the graph of content to it (FAIR Signposting Profile: metadata `describes` its page). */
export function descriptionLinks(content: Content, baseUrl: string): Link[] {
  return [{ href: canonicalUrl(content, baseUrl), rel: 'describes', type: 'text/html' }];
}

function canonicalUrl({ kind, head }: Pick<Content, 'kind' | 'head'>, baseUrl: string): string {
  return baseUrl + entityPath[kind.type](head.id);
}

/** Returns the link to the graph of an entity. */
function descriptionLink(canonical: string): Link {
  return { href: `${canonical}?_format=jsonld`, rel: 'describedby', type: 'application/ld+json' };
}

const USE_FIELD = 'field_media_use';

/** A file to link, and the media whose source it is. */
interface SignpostedFile {
  readonly file: SourceFile;
  readonly mediaId: number;
}

/** Returns the files of the media of a node, or of a media, whose use is configured. */
function signpostedFiles(
  { kind, head }: Content,
  around: Surroundings,
  item: SignpostingRules['item'],
): SignpostedFile[] {
  const isWanted = (uses: readonly Neighbour[]) =>
    item === 'all' || uses.some(({ externalUri }) => externalUri !== undefined && item.includes(externalUri));
  if (kind.type === 'node') {
    return around.media.flatMap(({ id, file, uses }) => (file && isWanted(uses) ? [{ file, mediaId: id }] : []));
  }
  const uses = around.targets.flatMap(({ field, target }) => (field === USE_FIELD ? [target] : []));
  return around.file && isWanted(uses) ? [{ file: around.file, mediaId: head.id }] : [];
}
