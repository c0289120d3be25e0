import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../../database/database.ts';
import type { MediaType } from '../../../model/content-model.ts';
import { seesFilesOf } from '../../access.ts';
import type { ContentFacts } from '../../access-rule.ts';
import type { Actor } from '../../actor.ts';
import type { ParsedContent } from '../content.ts';
import type { ContentKinds } from '../kinds.ts';
import { viewerValues } from '../visible-rows.ts';
import type { AnswerTerms, ReferredTerms } from './known-terms.ts';
import {
  attachedMedia,
  type FactsRow,
  type FileRow,
  type LinkedMedia,
  linkedMedia,
  listIn,
  type Neighbour,
  type Surroundings,
  type TermRow,
  termIn,
  toFile,
  toNeighbour,
} from './surroundings.ts';
import { createSurroundingsQueries, type SurroundingsRow } from './surroundings-queries.ts';

/** The range of a node's media to read, in their order. */
interface MediaRange {
  readonly limit: number;
  readonly offset: number;
}

/** Finds the surroundings of content that an actor may view. */
export type FindSurroundings = (content: ParsedContent, actor: Actor, wanted: MediaRange) => Promise<Surroundings>;

/** The number of media per query when all are wanted. */
const MEDIA_BATCH = 500;

/** Finds the surroundings with every media of a node, in batches, between which other requests proceed. */
export async function withEveryMedia(
  findSurroundings: FindSurroundings,
  content: ParsedContent,
  actor: Actor,
): Promise<Surroundings> {
  const findFrom = (offset: number) => findSurroundings(content, actor, { limit: MEDIA_BATCH, offset });
  const first = await findFrom(0);
  const media = new Map(first.media.map((each) => [each.id, each]));
  for (let batch = first, offset = MEDIA_BATCH; batch.hasMoreMedia; offset += MEDIA_BATCH) {
    await setImmediate();
    batch = await findFrom(offset);
    for (const each of batch.media) media.set(each.id, each);
  }
  return { ...first, media: [...media.values()], hasMoreMedia: false };
}

interface SurroundingsOptions {
  readonly kinds: ContentKinds;
  readonly mediaTypes: ReadonlyMap<string, MediaType>;
  readonly knownTerms: ReferredTerms;
}

/**
 * Creates the lookup of surroundings: one query for any number of links. A local database reads terms that are not
 * cached with a second query; a remote one with the first, to save a round trip.
 */
export function createFindSurroundings(database: Database, options: SurroundingsOptions): FindSurroundings {
  const { kinds, mediaTypes, knownTerms } = options;
  const queriesFor = createSurroundingsQueries(mediaTypes);

  return async (content, actor, { limit, offset }) => {
    const references = referencesIn(content);
    const terms = knownTerms.forAnswer();
    const row = await readRow(content, actor, references, { limit: limit + 1, offset }, terms);
    const linked = linkedMedia(row?.attached);
    const targetMedia = linkedMedia(row?.media);
    await terms.complete(termsAmong(references, [...linked, ...targetMedia]));
    const findTerm = terms.find;
    const mayView = (neighbour: Neighbour) => {
      const { bundles, access } = kinds[neighbour.type];
      return bundles.has(neighbour.bundle) && access.view(actor, neighbour).isAllowed;
    };
    const attach = (all: readonly LinkedMedia[], node?: ContentFacts) => attachedMedia(all, node, findTerm, mayView);
    const nodes = new Map(listIn<FactsRow>(row?.nodes).map((row) => [row[0], toNeighbour('node', row)]));
    const media = attach(targetMedia);
    const find = {
      taxonomy_term: findTerm,
      node: (id: number) => nodes.get(id),
      media: (id: number) => media.get(id),
    };
    const targets: { field: string; target: Neighbour }[] = [];
    for (const { field, type, id } of references) {
      const target = find[type](id);
      if (target !== undefined && mayView(target)) targets.push({ field, target });
    }
    const file = row?.file ?? null;
    return {
      targets,
      media: [...attach(linked.slice(0, limit), content.head).values()],
      hasMoreMedia: linked.length > limit,
      file: file === null ? undefined : toFile(JSON.parse(file) as FileRow),
    };
  };

  /** Reads what content refers to; undefined if there is nothing to read. Adds the terms that come with it to `terms`. */
  async function readRow(
    content: ParsedContent,
    actor: Actor,
    references: readonly Reference[],
    range: MediaRange,
    terms: AnswerTerms,
  ): Promise<SurroundingsRow | undefined> {
    const values = {
      nodeIds: idsAmong(references, 'node'),
      mediaIds: idsAmong(references, 'media'),
      fileId: sourceFileOf(content),
      hostId: content.kind.type === 'node' && seesMedia(actor) ? content.head.id : null,
      hostUses:
        content.kind.type !== 'node' || seesFilesOf(actor, content.head) ? null : openUsesOf(actor, content.head),
      ...viewerValues(actor),
      ...range,
    };
    const { nodeIds, mediaIds, fileId, hostId } = values;
    const isAsked = (nodeIds ?? mediaIds ?? fileId ?? hostId) !== null;
    const queries = queriesFor(kinds.media, actor, values);
    if (!database.isDistant) return isAsked ? database.get(queries.alone(values)) : undefined;
    const termIds = knownTerms.missing(termsAmong(references));
    if (!isAsked && termIds.length === 0) return undefined;
    const row = await database.get(queries.withTerms({ ...values, termIds: JSON.stringify(termIds) }));
    if (row !== undefined) terms.add((JSON.parse(row.terms) as TermRow[]).map(termIn), row.generation);
    return row;
  }

  function sourceFileOf({ kind, bundle, members }: ParsedContent): number | null {
    const source = kind.type === 'media' ? mediaTypes.get(bundle.name)?.sourceField : undefined;
    const id = source?.targetType === 'file' ? members[source.name]?.[0]?.target_id : undefined;
    return typeof id === 'number' ? id : null;
  }

  function openUsesOf({ sight }: Actor, { accessSet }: ContentFacts): string {
    return JSON.stringify(sight.openUsesOf(accessSet));
  }

  function seesMedia(actor: Actor): boolean {
    const { published, unpublished } = kinds.media.access.visibility(actor);
    return published || unpublished !== 'none';
  }
}

/** Returns the ids of the terms among references, and of the uses of media. */
function termsAmong(references: readonly Reference[], linked: readonly LinkedMedia[] = []): number[] {
  const ids: number[] = [];
  for (const { type, id } of references) if (type === 'taxonomy_term') ids.push(id);
  for (const { useIds } of linked) ids.push(...useIds);
  return ids;
}

/** Returns the ids of one type as a JSON list, or null if there are none. */
function idsAmong(references: readonly Reference[], wanted: Reference['type']): string | null {
  const ids: number[] = [];
  for (const { type, id } of references) if (type === wanted) ids.push(id);
  return ids.length === 0 ? null : JSON.stringify(ids);
}

/** A reference of content. */
interface Reference {
  readonly field: string;
  readonly type: Neighbour['type'];
  readonly id: number;
}

/** Returns the references to content in the order of the fields, and the parents of a term. */
function referencesIn({ kind, bundle, members }: ParsedContent): Reference[] {
  const references: Reference[] = [];
  for (const { name, targetType } of bundle.fields) {
    if (targetType !== 'taxonomy_term' && targetType !== 'node' && targetType !== 'media') continue;
    for (const { target_id } of members[name] ?? [])
      if (typeof target_id === 'number') references.push({ field: name, type: targetType, id: target_id });
  }
  if (kind.type === 'taxonomy_term')
    for (const { target_id } of members.parent ?? [])
      if (typeof target_id === 'number') references.push({ field: 'parent', type: 'taxonomy_term', id: target_id });
  return references;
}
