import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { media } from '../../database/schema/content.ts';
import { nodeAccess } from '../access.ts';
import type { ContentAccess, ContentType, Visibility } from '../access-rule.ts';
import type { Actor } from '../actor.ts';
import { followsVisibleNode, mediaNode } from './media-nodes.ts';

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
  readonly hasLostNode?: SQLiteColumn;
}

/** The id of the actor, or its placeholder in a prepared query. */
type ActorId = number | Placeholder;

/**
 * Returns the condition for the rows of a table that the actor may view. It must precede paging: filtered pages would
 * reveal the number of hidden rows. The visibility of media follows their nodes.
 */
export function visibleRows(kind: VisibleKind, actor: Actor, table: VisibleColumns, id: ActorId = actor.id): SQL {
  const { own, nodes } = visibilityOf(kind, actor);
  if (nodes === undefined) return byStatus(own, table, id);
  const { hasLostNode = media.hasLostNode } = table;
  const isPublished = sql`${table.status} = 1
    AND ${followsVisibleNode({ id: table.id, hasLostNode }, byStatus(nodes, mediaNode, id))}`;
  return sql`CASE WHEN ${isPublished} THEN TRUE ELSE ${hiddenRows(own, table, id)} END`;
}

/** Returns the same condition without the nodes of media: for media of a node that the actor may view. */
export function visibleByStatus(kind: VisibleKind, actor: Actor, table: VisibleColumns, id: ActorId = actor.id): SQL {
  return byStatus(visibilityOf(kind, actor).own, table, id);
}

/** Returns a text that is the same for actors with the same `visibleRows`, their ids excepted. */
export function visibilityKey(kind: VisibleKind, actor: Actor): string {
  return JSON.stringify([kind.type, visibilityOf(kind, actor)]);
}

/** Prepares a query of a kind once for all actors with the same condition. */
export function preparePerVisibility<Kind extends VisibleKind, Prepared>(
  make: (kind: Kind, visible: (table: VisibleColumns, actorId: Placeholder) => SQL) => Prepared,
): (kind: Kind, actor: Actor) => Prepared {
  const prepared = new Map<string, Prepared>();
  return (kind, actor) => {
    const key = visibilityKey(kind, actor);
    let known = prepared.get(key);
    if (known === undefined) {
      known = make(kind, (table, actorId) => visibleRows(kind, actor, table, actorId));
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

/** Anonymous callers own nothing, not even content of the anonymous user. */
function withoutAnonymous({ published, unpublished }: Visibility, { isAuthenticated }: Actor): Visibility {
  return { published, unpublished: unpublished === 'own' && !isAuthenticated ? 'none' : unpublished };
}

function byStatus(visibility: Visibility, table: VisibleColumns, actorId: ActorId): SQL {
  if (seesAll(visibility)) return sql`TRUE`;
  const published = visibility.published ? sql`TRUE` : sql`FALSE`;
  return sql`CASE ${table.status} WHEN 1 THEN ${published} ELSE ${hiddenRows(visibility, table, actorId)} END`;
}

const seesAll = ({ published, unpublished }: Visibility) => published && unpublished === 'all';

function hiddenRows({ unpublished }: Visibility, { ownerId }: VisibleColumns, actorId: ActorId): SQL {
  if (unpublished === 'own') return sql`${ownerId} = ${actorId}`;
  return unpublished === 'all' ? sql`TRUE` : sql`FALSE`;
}
