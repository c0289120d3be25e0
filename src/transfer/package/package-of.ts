import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { ServiceError } from '../../base/errors.ts';
import { media } from '../../database/schema/content.ts';
import { references } from '../../database/schema/references.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { EntityType } from '../../model/content-model.ts';
import { isMediaOf, isNodeOf } from '../../repository/relations.ts';
import { type Package, PackageError, type PackageFile, type PackageVersion, textFile } from '../files/package.ts';
import type { LoadContext } from '../table/table-options.ts';
import { gatherFiles, type PackedFile } from './gather-files.ts';
import {
  gatherReferred,
  gatherUsers,
  idsOf,
  type PackedUser,
  type ReferredEntities,
  withReferredTerms,
} from './gather-referred.ts';
import { historyOf, type State } from './history.ts';
import { README_PATH, readmeOf } from './package-layout.ts';
import { readContent } from './read-content.ts';
import { type Change, inChronologicalOrder, versionEnds } from './timeline.ts';

/**
 * Returns a package of a node with its media, files, terms and history, which another repository can import. Each
 * revision of the node or its media is a version; a long history has one version for several revisions. Omits revisions
 * that the actor may not view. Throws ServiceError `not-found` for a node that does not exist or that the actor may not
 * view, and PackageError for a node with an unreadable part.
 */
export async function packageOf(context: LoadContext, nodeId: number): Promise<Package> {
  const { services, actor } = context;
  const [node] = await readContent(context, 'node', [nodeId]);
  if (!node?.kind.access.view(actor, node.head).isAllowed)
    throw new ServiceError('not-found', `Node ${nodeId} does not exist.`);
  const ofNode = await historyOf(context, node);
  const histories = [ofNode];
  const gathered = await gatherAll(context, nodeId, histories);
  const { terms, paragraphs } = gathered;
  requireFound('paragraph', gathered.lostParagraphs, new Set());
  const states = [...histories, ...paragraphs.values()].flat();
  requireFound('taxonomy_term', withReferredTerms(terms, idsOf(states, 'taxonomy_term')), terms);
  const fileIds = [...idsOf(states, 'file'), ...[...terms.values()].flatMap((term) => [...term.files])];
  const files = await gatherFiles(services, fileIds);
  requireFound('file', fileIds, files);
  const userIds = [
    ...[...idsOf(states, 'user'), ...states.flatMap(({ userId }) => userId ?? [])],
    ...[...terms.values()].flatMap((term) => [...term.users]),
    ...[...files.values()].map(({ ownerId }) => ownerId),
  ];
  const parts: Parts = { ...gathered, files, users: await gatherUsers(services, userIds) };
  const uuid = JSON.parse(node.document).uuid[0].value as string;
  return { identifier: `urn:uuid:${uuid}`, versions: versionsOf(histories, parts) };
}

/** Adds the histories of a node's media, and returns the terms and paragraphs that all histories refer to. */
async function gatherAll(context: LoadContext, nodeId: number, histories: State[][]): Promise<ReferredEntities> {
  const ofNode = histories.flat();
  const asked = new Set<number>();
  let gathered: ReferredEntities | undefined;
  for (let naming = ofNode; ; ) {
    const ids = (await mediaIds(context, nodeId, naming)).filter((id) => !asked.has(id));
    if (gathered !== undefined && ids.length === 0) return gathered;
    for (const id of ids) asked.add(id);
    const media = await readContent(context, 'media', ids);
    requireFound('media', ids, new Set(media.map(({ head }) => head.id)));
    const visible = media.filter(({ kind, head }) => kind.access.view(context.actor, head).isAllowed);
    for (const each of visible) histories.push(await historyOf(context, each));
    gathered = await gatherReferred(context, histories.flat());
    if (gathered.paragraphs.size === 0) return gathered;
    // Paragraphs refer to media, too, which may have paragraphs.
    naming = [...ofNode, ...[...gathered.paragraphs.values()].flat()];
  }
}

/** Throws PackageError if a referenced entity was not found: the package would be incomplete. */
function requireFound(type: EntityType, ids: Iterable<number>, existing: { has(id: number): boolean }): void {
  const missing = [...new Set(ids)].filter((id) => !existing.has(id));
  if (missing.length === 0) return;
  throw new PackageError(
    `Cannot read its ${type} ${missing.slice(0, 10).join(', ')}: its row is damaged, the content model lacks the bundle, or it was just deleted. See the log, fix the model, or export again.`,
  );
}

interface Parts extends ReferredEntities {
  readonly files: ReadonlyMap<number, PackedFile>;
  readonly users: ReadonlyMap<number, PackedUser>;
}

function versionsOf(histories: readonly (readonly State[])[], parts: Parts): PackageVersion[] {
  // A paragraph is part of every version of its host. Only its later changes are versions of their own.
  const ofParagraphs = [...parts.paragraphs.values()].map((history) => history.slice(1));
  const changes = inChronologicalOrder([...histories, ...ofParagraphs]);
  const paragraphIds = [...parts.paragraphs.keys()];
  return versionEnds(changes).map((index): PackageVersion => {
    const { created, log, userId } = (changes[index] as Change<State>).state;
    const user = userId === null ? undefined : parts.users.get(userId);
    return {
      created: new Date(created * 1000),
      message: log ?? '',
      user: user && { name: user.name, address: `urn:uuid:${user.uuid}` },
      // Computed on access: the lists of all versions of many media with many revisions need too much memory.
      get files() {
        const soFar = changes.slice(0, index + 1);
        const current = new Map<number, State>();
        for (const { entity, state } of soFar) current.set(entity, state);
        // Paragraphs of earlier revisions belong to their host, too.
        const named = soFar.map(({ state }) => state);
        const changed = new Map(paragraphIds.map((id, at) => [id, current.get(histories.length + at)]));
        const paragraphs = paragraphsOf(named, parts).map(([id, first]) => changed.get(id) ?? first);
        const others = [...current].filter(([entity]) => entity < histories.length).map(([, state]) => state);
        return filesOf([...others, ...paragraphs], parts);
      },
    };
  });
}

/** Returns the paragraphs that states refer to, directly or through terms and paragraphs, in their first revision. */
function paragraphsOf(named: readonly State[], { terms, paragraphs }: Parts): [id: number, first: State][] {
  if (paragraphs.size === 0) return [];
  const states = new Map<number, State>();
  const wanted = [...named];
  for (const { refersTo } of wanted) {
    const ofTerms = [...withReferredTerms(terms, refersTo.taxonomy_term)].flatMap((id) => [
      ...(terms.get(id)?.paragraphs ?? []),
    ]);
    for (const id of [...refersTo.paragraph, ...ofTerms]) {
      const history = states.has(id) ? undefined : paragraphs.get(id);
      const [first] = history ?? [];
      if (history === undefined || first === undefined) continue;
      states.set(id, first);
      wanted.push(...history);
    }
  }
  return [...states];
}

function filesOf(states: readonly State[], { terms, paragraphs, files, users }: Parts): Map<string, PackageFile> {
  const packageFiles = new Map<string, PackageFile>([
    [README_PATH, textFile(readmeOf({ hasParagraphs: paragraphs.size > 0 }))],
  ]);
  const userIds = new Set([...idsOf(states, 'user'), ...states.flatMap(({ userId }) => userId ?? [])]);
  for (const { path, file } of states) packageFiles.set(path, file);
  const fileIds = idsOf(states, 'file');
  for (const id of withReferredTerms(terms, idsOf(states, 'taxonomy_term'))) {
    const term = terms.get(id);
    if (term === undefined) continue;
    packageFiles.set(term.path, term.file);
    for (const user of term.users) userIds.add(user);
    for (const file of term.files) fileIds.add(file);
  }
  for (const id of fileIds) {
    const packed = files.get(id);
    for (const [path, file] of packed?.files ?? []) packageFiles.set(path, file);
    if (packed) userIds.add(packed.ownerId);
  }
  for (const id of userIds) {
    const user = users.get(id);
    if (user) packageFiles.set(user.path, user.file);
  }
  return packageFiles;
}

const reference = alias(references, 'r');
const findMedia = prepare(({ nodeId, named }: Named<{ nodeId: number; named: string }>) =>
  plain(
    sql`SELECT ${reference.sourceId} FROM ${references} ${reference}
        WHERE ${isMediaOf(reference, nodeId)}
      UNION
      SELECT ${media.id} FROM json_each(${named}) j JOIN ${media} ON ${media.id} = j.value WHERE NOT EXISTS (
        SELECT 1 FROM ${references} ${reference} WHERE ${isNodeOf(reference, media.id)})`,
    { id: media.id },
  ),
);

/** Returns the media that belong to a node, and those that it and its paragraphs refer to and that belong to no node. */
async function mediaIds({ services }: LoadContext, nodeId: number, states: readonly State[]): Promise<number[]> {
  const named = JSON.stringify([...idsOf(states, 'media')]);
  return (await services.database.all(findMedia({ nodeId, named }))).map(({ id }) => id);
}
