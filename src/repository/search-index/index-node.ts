import type { Statement } from '../../database/statement.ts';
import type { IndexedNode } from './describe-node.ts';
import { type ExtractedText, type IndexEntry, indexEntry } from './index-entry.ts';
import { updateStatements } from './index-statements.ts';
import { type IndexedMedia, readIndexSources } from './read-index-sources.ts';
import type { SearchServices } from './search-services.ts';
import { roleOf, type UseTerms } from './text-uses.ts';

const NO_FILES: ReadonlySet<string> = new Set();

/** The entry of a new node. */
export interface NewEntry extends IndexEntry {
  readonly harvestStamp: number | null;
}

/** Returns the entry of a new node, which has no media yet. A promise only if a facet has a new text. */
export function entryOfNew(services: SearchServices, node: IndexedNode): NewEntry | Promise<NewEntry> {
  const harvestStamp = node.status ? services.now() : null;
  const entry = indexEntry(services, node, [], NO_FILES);
  return entry instanceof Promise
    ? entry.then((sources) => ({ ...sources, harvestStamp }))
    : { ...entry, harvestStamp };
}

/**
 * Returns the statements that index a changed node, for the transaction of the change. `nameOf` of the node finds the
 * names of terms that the change adds; the others are read.
 */
export async function indexChangedNode(services: SearchServices, nid: number, node: IndexedNode): Promise<Statement[]> {
  const [sources, terms] = await Promise.all([readIndexSources(services, [nid]), services.search.uses.find()]);
  const source = sources.get(nid);
  if (source?.node === undefined) return [];
  const { nameOf, otherNamesOf } = source.node();
  const named = {
    ...node,
    nameOf: (id: number) => node.nameOf(id) ?? nameOf(id),
    otherNamesOf: (id: number) => node.otherNamesOf(id) ?? otherNamesOf(id),
  };
  const entry = await entryOfSource(services, named, source, terms);
  return updateStatements(nid, entry, source.record, { now: services.now(), isSeen: true });
}

/** The media of a node, and their extracted texts. */
interface MediaSources {
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
