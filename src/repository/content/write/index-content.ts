import type { InStatement } from '@libsql/client';
import { alternativeNamesIn } from '../../../model/alternative-names.ts';
import type { MediaType } from '../../../model/content-model.ts';
import { nodesOfTerm } from '../../pending-terms.ts';
import type { IndexedNode } from '../../search-index/describe-node.ts';
import { indexMedia, type MediaState } from '../../search-index/index-media.ts';
import { entryOfNew, indexChangedNode, type NewEntry } from '../../search-index/index-node.ts';
import { removeNodeStatements } from '../../search-index/index-statements.ts';
import type { SourceFile } from '../../search-index/media-text.ts';
import { findSourceFile } from '../../search-index/write-slice.ts';
import { type Content, open } from '../content.ts';
import { findTargets, type Targets } from '../fill/targets.ts';
import { referringFields } from '../referring-fields.ts';
import type { Services } from '../services.ts';
import type { ContentPlan } from './decide-content.ts';

/** The part of a write that indexes it. */
export interface Indexing {
  readonly entry?: NewEntry | undefined;
  readonly statements?: readonly InStatement[];
  /** The targets of the write, with those whose names are indexed. */
  readonly targets: Targets | undefined;
}

/** Plans the index of new content. */
export async function indexNew(services: Services, decided: ContentPlan): Promise<Indexing> {
  const { kind, values, draft, targets } = decided;
  if (kind.type === 'node') {
    const named = await withTerms(services, decided);
    return { targets: named, entry: await entryOfNew(services, indexedNode(decided, named)) };
  }
  if (kind.type !== 'media') return { targets };
  const after = { status: draft.status, values };
  return { targets, statements: await mediaStatements(services, decided, undefined, undefined, after) };
}

/** Plans the index of changed content. */
export async function indexChanged(services: Services, content: Content, decided: ContentPlan): Promise<Indexing> {
  const { kind, draft, values, targets } = decided;
  const { id } = content.head;
  if (kind.type === 'node')
    return { targets, statements: await indexChangedNode(services, id, indexedNode(decided, targets)) };
  if (kind.type === 'media') {
    const before = { status: content.head.status, values: open(content).values };
    const after = { status: draft.status, values };
    return { targets, statements: await mediaStatements(services, decided, id, before, after) };
  }
  return { targets, statements: kind.type === 'taxonomy_term' && hasNewName(content, decided) ? nodesOfTerm(id) : [] };
}

/** Returns true if a change of a term changes what the index has of it. */
function hasNewName(content: Content, { draft, values }: ContentPlan): boolean {
  const before = open(content);
  return (
    draft.label !== before.draft.label ||
    draft.status !== content.head.status ||
    alternativeNamesIn(values) !== alternativeNamesIn(before.values)
  );
}

/**
 * Returns the statements that index the removal of a node or media. `removeReferencesTo` concerns the nodes that refer to
 * it.
 */
export async function indexRemoved(services: Services, content: Content): Promise<InStatement[]> {
  const { kind, bundle, head } = content;
  if (kind.type === 'node') return removeNodeStatements(head.id, services.now());
  if (kind.type !== 'media') return [];
  const { draft, values } = open(content);
  const before = { status: head.status, values };
  return mediaStatements(services, { kind, bundle, draft, values }, head.id, before, undefined);
}

/** Returns the targets of new content with all terms that it refers to: those of defaults, too. */
async function withTerms(services: Services, { bundle, values, targets }: ContentPlan): Promise<Targets | undefined> {
  const missing = new Set<number>();
  for (const { name, type } of referringFields(bundle))
    if (type === 'taxonomy_term')
      for (const { target_id } of values[name] ?? []) {
        const isKnown = targets?.get(type, Number(target_id))?.label !== undefined;
        if (typeof target_id === 'number' && !isKnown) missing.add(target_id);
      }
  if (missing.size === 0) return targets;
  const ofType = { ids: missing, uuids: new Set<string>() };
  const terms = await findTargets(services.database, new Map([['taxonomy_term', ofType]]), services.terms);
  if (targets === undefined) return terms;
  for (const id of missing) {
    const term = terms.get('taxonomy_term', id);
    if (term !== undefined) targets.add(term);
  }
  return targets;
}

function indexedNode({ draft, values }: ContentPlan, targets: Targets | undefined): IndexedNode {
  const { bundle, label: title, status, ownerId, created, changed } = draft;
  const nameOf = (id: number) => {
    const term = targets?.get('taxonomy_term', id);
    return term?.status ? term.label : undefined;
  };
  const otherNamesOf = (id: number) => {
    const term = targets?.get('taxonomy_term', id);
    return term?.status ? term.otherNames : undefined;
  };
  return { bundle, title, status, ownerId, created, changed, values, nameOf, otherNamesOf, hasNode: () => true };
}

function mediaStatements(
  services: Services,
  { bundle, draft: { uuid }, values, targets }: ContentPlan,
  id: number | undefined,
  before: MediaState | undefined,
  after: MediaState | undefined,
): Promise<InStatement[]> {
  const type = bundle as MediaType;
  const findFile = async (): Promise<SourceFile | undefined> => {
    const fileId = values[type.sourceField.name]?.[0]?.target_id;
    return targets?.get('file', Number(fileId))?.file ?? findSourceFile(services, fileId);
  };
  return indexMedia(services, { id, uuid, type, before, after, findFile });
}
