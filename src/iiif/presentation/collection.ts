import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { pathOf } from '../../paths.ts';
import type { ShowableList, ShowableMember, ShowableNode } from '../../repository/content/lists/find-showable.ts';
import { pictureResource } from './canvas.ts';
import { itemFacts, type NodeSource } from './item-facts.ts';
import { inLanguage } from './language-map.ts';
import type { ManifestSource } from './manifest.ts';
import { familyOf, isFor } from './media-uses.ts';
import { PRESENTATION_CONTEXT, type Resource, resourceTypeOf } from './resource.ts';

/** The number of members on a page of a collection. A collection with more has pages. */
export const COLLECTION_PAGE_SIZE = 1_000;

/** Returns the collection of a node with all of its members (Presentation API 3.0, 5.1), which have a manifest. */
export function collectionOf(described: NodeSource, { node, members }: ShowableList, source: ManifestSource): Resource {
  return { ...headOf(described, source), thumbnail: thumbnailOf(node, source), items: itemsOf(members, source) };
}

/** Returns the collection of a node with more members than a page holds: its items are its pages. */
export function pagedCollectionOf(
  described: NodeSource,
  { node, total }: ShowableList,
  source: ManifestSource,
): Resource {
  const pages = Math.ceil(total / COLLECTION_PAGE_SIZE);
  return {
    ...headOf(described, source),
    thumbnail: thumbnailOf(node, source),
    items: Array.from({ length: pages }, (_, page) => ({
      id: pageId(described, page, source),
      type: 'Collection',
      label: pageLabel(page, total, source),
    })),
  };
}

/** Returns a page of a collection, which is a collection within it. */
export function collectionPageOf(
  described: NodeSource,
  { members, total }: ShowableList,
  page: number,
  source: ManifestSource,
): Resource {
  const { id, label } = headOf(described, source);
  return {
    '@context': PRESENTATION_CONTEXT,
    id: pageId(described, page, source),
    type: 'Collection',
    label: pageLabel(page, total, source),
    partOf: [{ id, type: 'Collection', label }],
    items: itemsOf(members, source),
  };
}

function headOf(described: NodeSource, source: ManifestSource): Resource {
  return {
    '@context': PRESENTATION_CONTEXT,
    id: source.baseUrl + pathOf('nodeManifest', { node: described.content.head.id }),
    type: 'Collection',
    ...itemFacts(described, source),
  };
}

function pageId({ content }: NodeSource, page: number, { baseUrl }: ManifestSource): string {
  return `${baseUrl}${pathOf('nodeManifest', { node: content.head.id })}?page=${page}`;
}

function pageLabel(page: number, total: number, { labelLanguage }: ManifestSource) {
  const first = page * COLLECTION_PAGE_SIZE + 1;
  return inLanguage(labelLanguage, `${first} to ${Math.min(total, first + COLLECTION_PAGE_SIZE - 1)} of ${total}`);
}

/** Returns members as references. */
function itemsOf(members: readonly ShowableMember[], source: ManifestSource): Resource[] {
  return members.map((member) => ({
    id: source.baseUrl + pathOf('nodeManifest', { node: member.id }),
    type: resourceTypeOf(source.model, member.model),
    label: inLanguage(member.language ?? source.labelLanguage, member.label),
    thumbnail: thumbnailOf(member, source),
  }));
}

function thumbnailOf({ media: all }: ShowableNode, source: ManifestSource): readonly Resource[] | undefined {
  const picture = all.find((media) => isFor(media, MEDIA_USE_URI.thumbnail) && familyOf(media) === 'image');
  return picture && [pictureResource(picture.file, source)];
}
