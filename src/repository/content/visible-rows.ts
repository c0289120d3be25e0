import { type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { mediaAccess as mediaSets, nodeAccess as nodeSets } from '../../database/schema/access.ts';
import { media, nodes } from '../../database/schema/content.ts';
import { references } from '../../database/schema/references.ts';
import { literal } from '../../database/sql.ts';
import { nodeAccess } from '../access.ts';
import type { ContentAccess, ContentType, Visibility } from '../access-rule.ts';
import type { Actor } from '../actor.ts';
import { followsVisibleNode, mediaNode } from './media-nodes.ts';
import { byStatus, hiddenRows, seesAll, withoutAnonymous } from './rows-by-status.ts';

/** The part of a kind of content on which visibility depends. */
export interface VisibleKind {
  readonly type: ContentType;
  readonly access: ContentAccess;
}

/** The columns that determine visibility. Media need the other columns of `media` too. */
interface VisibleColumns {
  readonly id: SQLiteColumn;
  readonly status: SQLiteColumn;
  readonly ownerId: SQLiteColumn;
  readonly bundle: SQLiteColumn;
  readonly hasLostNode?: SQLiteColumn;
}

/** The values of an actor in the conditions of queries. */
export interface ViewerValues {
  readonly actorId: number;
  /** As in `Sight`. */
  readonly verdicts: Uint8Array;
  readonly openUses: string;
  readonly thumbnails: Uint8Array;
  readonly drafts: Uint8Array;
}

/** Returns the values of an actor for a query that `preparePerVisibility` or `preparePerActor` has prepared. */
export function viewerValues({ id, sight }: Actor): ViewerValues {
  const { verdicts, openUses, thumbnails, drafts } = sight;
  return { actorId: id, verdicts, openUses, thumbnails, drafts };
}

/** The values of an actor, or their placeholders in a prepared query. */
export type ViewerParameters = { readonly [Name in keyof ViewerValues]: ViewerValues[Name] | Placeholder };

/**
 * Returns the condition for the rows of a table that the actor may view. It must precede paging: filtered pages would
 * reveal the number of hidden rows. The visibility of media follows their nodes.
 */
export function visibleRows(
  kind: VisibleKind,
  actor: Actor,
  table: VisibleColumns,
  viewer: ViewerParameters = viewerValues(actor),
): SQL {
  const { own, nodes: ofNodes } = visibilityOf(kind, actor);
  if (kind.type === 'node') return visibleNodes(own, actor, table, viewer, isClosed(viewer));
  if (ofNodes === undefined) return byStatus(own, table, viewer);
  const { hasLostNode = media.hasLostNode } = table;
  const isVisibleNode = visibleNodes(ofNodes, actor, mediaNode, viewer, areFilesClosed(table.id, viewer));
  const isOpen = actor.sight.isUnlimited ? sql`TRUE` : sql`NOT ${isClosedByItself(table.id, viewer)}`;
  const isPublished = sql`${table.status} = 1
    AND ${followsVisibleNode({ id: table.id, hasLostNode }, isVisibleNode)} AND ${isOpen}`;
  return sql`CASE WHEN ${isPublished} THEN TRUE ELSE ${hiddenRows(own, table, viewer)} END`;
}

/** Returns the condition for the rows of a table of nodes whose files the actor may read. */
export function nodesWithOpenFiles(
  kind: VisibleKind,
  actor: Actor,
  table: VisibleColumns,
  viewer: ViewerParameters = viewerValues(actor),
): SQL {
  return visibleNodes(visibilityOf(kind, actor).own, actor, table, viewer, isNotOpen(viewer));
}

/** Returns the condition for thumbnails of a node that the actor may view. */
export function visibleThumbnails(
  kind: VisibleKind,
  actor: Actor,
  table: VisibleColumns,
  nodeId: SQL,
  viewer: ViewerParameters,
): SQL {
  const isOfStatus = byStatus(visibilityOf(kind, actor).own, table, viewer);
  if (actor.sight.isUnlimited) return isOfStatus;
  const isOpen = sql`coalesce((SELECT substr(${viewer.thumbnails}, ${nodeSet.setId}, 1) FROM ${nodeSets} ${nodeSet}
    WHERE ${nodeSet.nid} = ${nodeId} AND ${nodeSet.setId} > 0), x'01') = x'01'`;
  const exempt = exemptions(actor, host, viewer);
  const isExempt = sql`EXISTS (SELECT 1 FROM ${nodes} ${host} WHERE ${host.id} = ${nodeId} AND (${sql.join(exempt, sql` OR `)}))`;
  const isFree = sql`NOT EXISTS (SELECT 1 FROM ${mediaSets} ${mediaSet} WHERE ${mediaSet.mid} = ${table.id}
    AND ${verdictOf(mediaSet.setId, viewer)} <> x'01')`;
  return sql`${isOfStatus} AND (${exempt.length === 0 ? isOpen : sql`${isOpen} OR ${isExempt}`}) AND ${isFree}`;
}

const host = alias(nodes, 'exempt');

/** Returns the conditions for nodes that access rules do not restrict for an actor. */
function exemptions(
  actor: Actor,
  table: Pick<VisibleColumns, 'ownerId' | 'bundle'>,
  { actorId }: ViewerParameters,
): SQL[] {
  const exempt: SQL[] = [];
  if (actor.isAuthenticated) exempt.push(sql`${table.ownerId} = ${actorId}`);
  if (actor.editedTypes.length > 0)
    exempt.push(sql`${table.bundle} IN (${sql.join(actor.editedTypes.map(literal), sql`, `)})`);
  return exempt;
}

const [nodeSet, mediaSet, use] = [alias(nodeSets, 'ns'), alias(mediaSets, 'ms'), alias(references, 'mu')];

/** The condition that access rules restrict a row, by the column of its set. */
type Restriction = (setId: SQLiteColumn) => SQL;

const verdictOf = (setId: SQLiteColumn, { verdicts }: ViewerParameters) => sql`substr(${verdicts}, ${setId}, 1)`;
/** An unknown set has no byte, and counts as closed. */
const isClosed =
  (viewer: ViewerParameters): Restriction =>
  (setId) =>
    sql`${verdictOf(setId, viewer)} <= x'00'`;
const isNotOpen =
  (viewer: ViewerParameters): Restriction =>
  (setId) =>
    sql`${verdictOf(setId, viewer)} <> x'01'`;

/**
 * Returns the condition that the files of a media are closed by a set. Nested as little as possible: the parser of the database
 * has a limit.
 */
function areFilesClosed(mediaId: SQLiteColumn, viewer: ViewerParameters): Restriction {
  return (setId) => {
    const verdict = verdictOf(setId, viewer);
    const open = sql`SELECT value FROM json_each(${viewer.openUses}, '$."' || hex(${verdict}) || '"')`;
    return sql`${verdict} <> x'01' AND (${verdict} <= x'00' OR ${areUsesOpen(mediaId, open)} IS NOT 1)`;
  };
}

/** Returns 1 if a media has uses, and all of them are among those of a query. */
const areUsesOpen = (mediaId: SQLiteColumn, open: SQL) => sql`(SELECT min(${use.targetId} IN (${open}))
  FROM ${references} ${use} WHERE ${use.sourceType} = 'media' AND ${use.sourceId} = ${mediaId}
    AND ${use.field} = 'field_media_use')`;

/**
 * Returns the condition for media that the actor may view through a node of theirs that the actor may view. `openUses` is a JSON
 * list of the uses that the rules of the node leave open; without it, they close no files.
 */
export function visibleThroughNode(
  kind: VisibleKind,
  actor: Actor,
  table: VisibleColumns,
  viewer: ViewerParameters,
  openUses?: SQLWrapper,
): SQL {
  const { own } = visibilityOf(kind, actor);
  if (openUses === undefined || seesAll(own)) return byStatus(own, table, viewer);
  const isOpen = areUsesOpen(table.id, sql`SELECT value FROM json_each(${openUses})`);
  const isPublished = own.published ? sql`${table.status} = 1 AND ${isOpen} IS 1` : sql`FALSE`;
  return sql`CASE WHEN ${isPublished} THEN TRUE ELSE ${hiddenRows(own, table, viewer)} END`;
}

function isClosedByItself(mediaId: SQLiteColumn, viewer: ViewerParameters): SQL {
  return sql`EXISTS (SELECT 1 FROM ${mediaSets} ${mediaSet}
    WHERE ${mediaSet.mid} = ${mediaId} AND ${areFilesClosed(mediaId, viewer)(mediaSet.setId)})`;
}

/** Returns the condition for nodes that the actor may view by their status, and that no rule restricts. */
function visibleNodes(
  visibility: Visibility,
  actor: Actor,
  table: VisibleColumns,
  viewer: ViewerParameters,
  isRestricted: Restriction,
): SQL {
  const isOfStatus = byStatus(
    visibility,
    table,
    viewer,
    actor.sight.hasDrafts ? isVisibleDraft(table, viewer) : undefined,
  );
  if (actor.sight.isUnlimited) return isOfStatus;
  return sql`(${isOfStatus} AND ${isUnrestricted(actor, table, viewer, isRestricted)})`;
}

/** Returns the condition for unpublished nodes that the actor views by a role for a collection. */
function isVisibleDraft({ id }: Pick<VisibleColumns, 'id'>, { drafts }: ViewerParameters): SQL {
  return sql`EXISTS (SELECT 1 FROM ${nodeSets} ${nodeSet} WHERE ${nodeSet.nid} = ${id} AND ${nodeSet.setId} > 0
    AND substr(${drafts}, ${nodeSet.setId}, 1) = x'01')`;
}

/** Returns the condition that no access rule keeps the actor from nodes. */
function isUnrestricted(
  actor: Actor,
  table: Pick<VisibleColumns, 'id' | 'ownerId' | 'bundle'>,
  viewer: ViewerParameters,
  isRestricted: Restriction,
): SQL {
  const isOpen = sql`NOT EXISTS (SELECT 1 FROM ${nodeSets} ${nodeSet}
    WHERE ${nodeSet.nid} = ${table.id} AND ${nodeSet.setId} > 0 AND ${isRestricted(nodeSet.setId)})`;
  const exempt = exemptions(actor, table, viewer);
  return exempt.length === 0 ? isOpen : sql`(${sql.join([isOpen, ...exempt], sql` OR `)})`;
}

/** Returns the condition that access rules hide an existing node from the actor, by its id; undefined if none can. */
export function hiddenByRule(
  actor: Actor,
  id: SQL,
  node: VisibleColumns & { readonly table: SQL },
  viewer: ViewerParameters,
): SQL | undefined {
  if (actor.sight.isUnlimited) return undefined;
  return sql`EXISTS (SELECT 1 FROM ${nodeSets} ${nodeSet} CROSS JOIN ${node.table} ON ${node.id} = ${nodeSet.nid}
    WHERE ${nodeSet.nid} = ${id} AND ${nodeSet.setId} > 0 AND ${isClosed(viewer)(nodeSet.setId)}
      AND NOT ${isUnrestricted(actor, node, viewer, isClosed(viewer))})`;
}

/** Returns a text that is the same for actors with the same `visibleRows`, their values excepted (`viewerValues`). */
export function visibilityKey(kind: VisibleKind, actor: Actor): string {
  const { isUnlimited, hasDrafts } = actor.sight;
  const restricted = isUnlimited ? null : [actor.isAuthenticated, actor.editedTypes, hasDrafts];
  return JSON.stringify([kind.type, visibilityOf(kind, actor), restricted]);
}

/** Prepares a query of a kind once for all actors with the same condition. */
export function preparePerVisibility<Kind extends VisibleKind, Prepared>(
  make: (kind: Kind, visible: (table: VisibleColumns, viewer: ViewerParameters) => SQL) => Prepared,
): (kind: Kind, actor: Actor) => Prepared {
  const prepared = new Map<string, Prepared>();
  return (kind, actor) => {
    const key = visibilityKey(kind, actor);
    let known = prepared.get(key);
    if (known === undefined) {
      known = make(kind, (table, viewer) => visibleRows(kind, actor, table, viewer));
      prepared.set(key, known);
    }
    return known;
  };
}

/** Prepares queries about several kinds once for all actors with the same conditions. */
export function preparePerActor<Prepared>(
  kinds: readonly VisibleKind[],
  make: (actor: Actor) => Prepared,
): (actor: Actor) => Prepared {
  const prepared = new Map<string, Prepared>();
  return (actor) => {
    const key = kinds.map((kind) => visibilityKey(kind, actor)).join();
    let known = prepared.get(key);
    if (known === undefined) {
      known = make(actor);
      prepared.set(key, known);
    }
    return known;
  };
}

/** Returns the visibility of a kind by status, and that of the nodes that media follow, if it matters. */
function visibilityOf({ type, access }: VisibleKind, actor: Actor): { own: Visibility; nodes?: Visibility } {
  const own = withoutAnonymous(access.visibility(actor), actor);
  if (type !== 'media' || seesAll(own) || !own.published) return { own };
  return { own, nodes: withoutAnonymous(nodeAccess.visibility(actor), actor) };
}
