import type { IndexedNode } from './describe-node.ts';
import { type ExtractedText, type IndexEntry, indexEntry } from './index-entry.ts';
import type { IndexedMedia } from './read-index-sources.ts';
import type { SearchServices } from './search-services.ts';
import { roleOf, type UseTerms } from './text-uses.ts';

/** The media of a node, and their extracted texts. */
export interface MediaSources {
  readonly media: readonly IndexedMedia[];
  readonly extracted: readonly ExtractedText[];
}

/** Returns the index entry of a node. Unpublished media do not count: a reader may not view them. */
export function entryOfSource(
  services: SearchServices,
  node: IndexedNode,
  { media, extracted }: MediaSources,
  terms: UseTerms,
): IndexEntry | Promise<IndexEntry> {
  const fileTypes = new Set<string>();
  for (const { status, uses, mimeType } of media)
    if (status && mimeType !== undefined && roleOf(uses, terms) === 'file') fileTypes.add(mimeType);
  return indexEntry(services, node, extracted, fileTypes);
}
