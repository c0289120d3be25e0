import { usualType } from '../../../base/usual-type.ts';
import type { Statement } from '../../../database/statement.ts';
import type { Item } from '../../../model/content-model.ts';
import { mediaAccess, nodeAccess } from '../../access.ts';
import type { ContentFacts } from '../../access-rule.ts';
import type { Actor } from '../../actor.ts';
import { languageIn } from '../language-column.ts';
import { readUseIds } from '../media-nodes.ts';
import type { Services } from '../services.ts';
import { viewerValues } from '../visible-rows.ts';
import type { Page } from './lists.ts';
import {
  type MediaRow,
  membersOfNode,
  type NodeRow,
  nextMembers,
  showableNodes,
  USE_SEPARATOR,
} from './showable-queries.ts';

/** The file of a media, with the facts that a viewer needs before it loads the bytes. */
export interface ShowableFile {
  readonly id: number;
  readonly uri: string;
  /** The usual name of its MIME type. */
  readonly mimeType: string;
  readonly bytes: number;
  /** The size in pixels of an image. Null if it was not found when the file was stored. */
  readonly width: number | null;
  readonly height: number | null;
  readonly storageKey: string;
  /** As in the row (`files/scheme.ts`). */
  readonly storedIn: string | null;
}

/** A media with its file. */
export interface ShowableMedia {
  readonly id: number;
  readonly uuid: string;
  readonly bundle: string;
  readonly label: string;
  /** The URIs of its uses, in order. */
  readonly uses: readonly string[];
  /** The items of its track fields. */
  readonly tracks: readonly Item[];
  readonly file: ShowableFile;
}

/** A node with its media, as far as the caller may view them. */
export interface ShowableNode {
  readonly id: number;
  readonly label: string;
  readonly language: string | undefined;
  readonly media: readonly ShowableMedia[];
}

/** A node as an entry of a list. */
export interface ShowableMember extends ShowableNode {
  /** The URI of its model. */
  readonly model: string | undefined;
  /** True if it has members with media that the caller may view. */
  readonly hasMembers: boolean;
}

/** The URIs of the models of the nodes that a node is a member of, by id. */
export type ParentModels = ReadonlyMap<number, string | null>;

/** A node with the members that a viewer shows together with it. */
export interface ShowableTree {
  readonly node: ShowableNode;
  /** By weight and then by id. */
  readonly members: readonly ShowableNode[];
  readonly parentModels: ParentModels;
}

/** A node with a page of its members. */
export interface ShowableList {
  readonly node: ShowableNode;
  /** By weight and then by id. Empty if only a complete list was wanted, and the page is none. */
  readonly members: readonly ShowableMember[];
  /** The number of members that the caller may view, on all pages. */
  readonly total: number;
  readonly parentModels: ParentModels;
}

/** Number of nodes per query, a thousand members and their node: their media remain far below the 10 MB that a libSQL server returns. */
const NODES_PER_QUERY = 1_001;
/** Maximum number of members that are shown together with their node. */
const MAX_SHOWN_MEMBERS = 10_000;

const NODES = { type: 'node', access: nodeAccess } as const;

/**
 * Finds a node and its members with all media that have a file, as far as the actor may view them: one statement for the
 * members, up to `MAX_SHOWN_MEMBERS`, and one for each thousand of them. Undefined if the actor may not view the node.
 */
export async function findShowable(
  services: Services,
  actor: Actor,
  nodeId: number,
): Promise<ShowableTree | undefined> {
  const { ids, parentModels } = await findMembers(services, actor, nodeId, { limit: MAX_SHOWN_MEMBERS, offset: 0 });
  const [node, ...members] = await findShowableNodes(services, actor, [nodeId, ...ids]);
  return node?.id === nodeId ? { node, members, parentModels } : undefined;
}

/** Finds nodes with their media, in the order of the ids, as far as the actor may view them. */
export async function findShowableNodes(
  services: Services,
  actor: Actor,
  ids: readonly number[],
): Promise<readonly ShowableNode[]> {
  return findNodes(services, actor, ids, (list) => showableNodes(services).alone({ ids: list }));
}

/**
 * Returns the ids of members with media for each of many nodes, by the id of the node: the next ones after `offset`, in their
 * order, as far as the actor may view them. A node without more members is missing.
 */
export async function findNextMembers(
  { database }: Services,
  actor: Actor,
  ids: readonly number[],
  page: Page,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const row = await database.get(
    nextMembers(NODES, actor)({ ids: JSON.stringify(ids), ...viewerValues(actor), ...page }),
  );
  const lists = JSON.parse(row?.lists ?? '[]') as [number, string][];
  return new Map(
    lists.map(([id, members]) => [id, JSON.parse(members) as number[]] as const).filter(([, { length }]) => length > 0),
  );
}

/** Finds the members of a node that are shown together with it and that the actor may view, in their order. */
export async function listMemberIds(services: Services, actor: Actor, nodeId: number): Promise<number[]> {
  return (await findMembers(services, actor, nodeId, { limit: MAX_SHOWN_MEMBERS, offset: 0 })).ids;
}

/** Selects the members of a list: a page, or all of them if they fit on it. */
interface ShowableSelection extends Page {
  readonly isComplete: boolean;
}

/** Finds a node with members that the actor may view, and what a list shows of each. Undefined if the actor may not view it. */
export async function listShowable(
  services: Services,
  actor: Actor,
  nodeId: number,
  { limit, offset, isComplete }: ShowableSelection,
): Promise<ShowableList | undefined> {
  const { ids, total, parentModels } = await findMembers(services, actor, nodeId, { limit, offset });
  const withKinds = showableNodes(services).withKinds(NODES, actor);
  const listed = isComplete && total > limit ? [] : ids;
  const find = (list: string) => withKinds({ ids: list, ...viewerValues(actor) });
  const [node, ...members] = await findNodes(services, actor, [nodeId, ...listed], find);
  return node?.id === nodeId ? { node, members, total, parentModels } : undefined;
}

async function findMembers({ database }: Services, actor: Actor, nodeId: number, page: Page) {
  const row = await database.get(membersOfNode(NODES, actor)({ nodeId, ...viewerValues(actor), ...page }));
  return {
    ids: JSON.parse(row?.ids ?? '[]') as number[],
    total: row?.total ?? 0,
    parentModels: new Map(JSON.parse(row?.parents ?? '[]') as [number, string | null][]),
  };
}

/** Returns the nodes with these ids that the actor may view, in their order, with their media. */
async function findNodes(
  services: Services,
  actor: Actor,
  ids: readonly number[],
  find: (ids: string) => Statement<{ nodes: string; media: string }[]>,
): Promise<ShowableMember[]> {
  const showable: ShowableMember[] = [];
  for (let start = 0; start < ids.length; start += NODES_PER_QUERY) {
    const batch = ids.slice(start, start + NODES_PER_QUERY);
    const row = await services.database.get(find(JSON.stringify(batch)));
    if (row !== undefined) showable.push(...readNodes(services, actor, row));
  }
  return showable;
}

function readNodes({ model }: Services, actor: Actor, row: { nodes: string; media: string }): ShowableMember[] {
  const known = new Map<number, { readonly facts: ContentFacts; readonly media: Map<number, ShowableMedia> }>();
  const listed: [node: Omit<ShowableNode, 'media'>, kind: Pick<ShowableMember, 'model' | 'hasMembers'>][] = [];
  for (const [id, bundle, ownerId, status, accessSet, label, language, modelUri, hasMembers] of JSON.parse(
    row.nodes,
  ) as NodeRow[]) {
    const facts = { bundle, ownerId, status: status === 1, accessSet };
    if (!model.nodeTypes.has(bundle) || !nodeAccess.view(actor, facts).isAllowed) continue;
    known.set(id, { facts, media: new Map() });
    listed.push([
      { id, label, language: languageIn(language) },
      { model: modelUri ?? undefined, hasMembers: hasMembers === 1 },
    ]);
  }
  for (const each of JSON.parse(row.media) as MediaRow[]) {
    const node = known.get(each[0]);
    if (node !== undefined && mayView(actor, each, node.facts)) node.media.set(each[1], readMedia(each));
  }
  // A media that names its node twice is listed once, where it is first.
  return listed.map(([node, kind]) => ({ ...node, ...kind, media: [...(known.get(node.id)?.media.values() ?? [])] }));
}

/** Returns true if the actor may view a media of a node that the actor may view, and may therefore read its file. */
function mayView(actor: Actor, row: MediaRow, node: ContentFacts): boolean {
  const [, , , bundle, ownerId, status, accessSet, , , useIds] = row;
  const belongsTo = { nodes: [node], hasLostNode: false };
  const facts = { bundle, ownerId, status: status === 1, accessSet, useIds: readUseIds(useIds), belongsTo };
  return mediaAccess.view(actor, facts).isAllowed;
}

function readMedia(row: MediaRow): ShowableMedia {
  const [, id, uuid, bundle, , , , label, uses, , tracks, fileId, uri, mimeType, bytes, width, height] = row;
  const [storageKey, storedIn] = [row[17], row[18]];
  return {
    ...{ id, uuid, bundle, label },
    uses: uses === null ? [] : uses.split(USE_SEPARATOR),
    tracks: tracks === null ? [] : (JSON.parse(tracks) as (Item[] | null)[]).flatMap((items) => items ?? []),
    file: { id: fileId, uri, mimeType: usualType(mimeType), bytes, width, height, storageKey, storedIn },
  };
}
