import { and, count, desc, eq, type SQL, sql } from 'drizzle-orm';
import { madeOnce } from '../../base/made-once.ts';
import { query } from '../../database/query-builder.ts';
import { users } from '../../database/schema/users.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { EntityType, FieldValues, Item, MediaType } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import type { Draft } from '../content/base-field.ts';
import { type Content, completeFields, documentOf, open } from '../content/content.ts';
import { findTargets, type TargetQuery, type Targets } from '../content/fill/targets.ts';
import type { ContentKind } from '../content/kinds.ts';
import { referringFields } from '../content/referring-fields.ts';
import type { Services } from '../content/services.ts';
import { announceSource, NO_CHANGE } from '../content/write/announce-source.ts';
import { nextDraft } from '../content/write/decide-content.ts';
import { settleOutdated } from '../content/write/outdated.ts';
import { writeOver } from '../content/write/save-content.ts';
import type { RevisionSnapshot } from '../content/write/write-revision.ts';
import { refreshFileFacts } from '../media/replace-source.ts';
import { nodesOfMedia } from '../relations.ts';
import { retrying } from '../retrying.ts';
import { keepUnchangeable } from './keep-unchangeable.ts';
import { requireKnownFields } from './lost-fields.ts';

export interface Revision {
  readonly id: number;
  readonly created: number;
  readonly userId: number | null;
  readonly userUuid: string | null;
  /** Undefined without a user, and for a deleted one. */
  readonly user: { readonly name: string; readonly status: boolean } | undefined;
  readonly log: string | null;
  readonly isCurrent: boolean;
  /** Status and owner as of the revision; null for the current one. */
  readonly status: boolean | null;
  readonly ownerId: number | null;
}

/** Returns true if an actor may view content as of an entry of its history. */
export function mayViewRevision(actor: Actor, { kind, head }: Content, { status, ownerId }: Revision): boolean {
  const facts = { ...head, status: status ?? head.status, ownerId: ownerId ?? head.ownerId };
  return kind.access.view(actor, facts).isAllowed;
}

const revisionsOf = madeOnce(({ revisionTable: revisions }: ContentKind) => {
  const rows = (which: SQL | undefined) =>
    query
      .select({
        id: revisions.id,
        created: revisions.created,
        userId: revisions.userId,
        userUuid: users.uuid,
        userName: users.name,
        userStatus: users.status,
        log: revisions.log,
        isCurrent: sql<number>`${revisions.snapshot} IS NULL`,
        status: sql<number | null>`${revisions.snapshot} ->> '$.status'`,
        ownerId: sql<number | null>`${revisions.snapshot} ->> '$.ownerId'`,
      })
      .from(revisions)
      .leftJoin(users, eq(users.id, revisions.userId))
      .where(which)
      .orderBy(desc(revisions.id));
  return {
    page: prepare(({ entityId, limit, offset }: Named<{ entityId: number; limit: number; offset: number }>) =>
      rows(eq(revisions.entityId, entityId)).limit(limit).offset(offset),
    ),
    one: prepare(({ entityId, id }: Named<{ entityId: number; id: number }>) =>
      rows(and(eq(revisions.entityId, entityId), eq(revisions.id, id))),
    ),
    count: prepare(({ entityId }: Named<{ entityId: number }>) =>
      query.select({ total: count() }).from(revisions).where(eq(revisions.entityId, entityId)),
    ),
  };
});

type Row = Omit<Revision, 'user' | 'isCurrent' | 'status'> & {
  readonly userName: string | null;
  readonly userStatus: boolean | null;
  readonly isCurrent: number;
  readonly status: number | null;
};

function toRevision({ userName, userStatus, isCurrent, status, ...row }: Row): Revision {
  const user = userName === null ? undefined : { name: userName, status: userStatus === true };
  return { ...row, user, isCurrent: isCurrent === 1, status: status === null ? null : status === 1 };
}

/** Returns the history of an entity, newest first. `offset` and `limit` count revisions. */
export async function listRevisions(
  { database }: Services,
  kind: ContentKind,
  entityId: number,
  page: { limit: number; offset: number },
): Promise<Revision[]> {
  const rows = await database.all(revisionsOf(kind).page({ entityId, ...page }));
  return rows.map(toRevision);
}

/** Returns the number of revisions of an entity. */
export async function countRevisions({ database }: Services, kind: ContentKind, entityId: number): Promise<number> {
  return (await database.get(revisionsOf(kind).count({ entityId })))?.total ?? 0;
}

/** Returns the entry of the history for a revision; undefined for an unknown one. */
export async function findRevisionEntry(
  { database }: Services,
  { kind, head }: Content,
  id: number,
): Promise<Revision | undefined> {
  const row = await database.get(revisionsOf(kind).one({ entityId: head.id, id }));
  return row && toRevision(row);
}

const snapshotOf = madeOnce(({ revisionTable: revisions }: ContentKind) =>
  prepare(({ id, entityId }: Named<{ id: number; entityId: number }>) =>
    query
      .select({ snapshot: revisions.snapshot, log: revisions.log })
      .from(revisions)
      .where(and(eq(revisions.id, id), eq(revisions.entityId, entityId))),
  ),
);

/** Returns content as of a revision, without references to deleted entities; undefined for an unknown revision. */
export async function findRevision(
  services: Services,
  current: Content,
  revisionId: number,
): Promise<Content | undefined> {
  if (revisionId === current.head.revisionId) return current;
  const snapshot = await services.database.get(snapshotOf(current.kind)({ id: revisionId, entityId: current.head.id }));
  if (snapshot === undefined || snapshot.snapshot === null) return undefined;
  const { document, ...kept } = JSON.parse(snapshot.snapshot) as RevisionSnapshot;
  const { bundle } = current;
  const head = { ...current.head, ...kept, revisionId, revisionLog: snapshot.log };
  const { draft, values } = open({ ...current, head, document });
  // Aliases belong to the entity, not to its revisions.
  const { alias, aliasId } = open(current).draft;
  Object.assign(draft, { alias, aliasId });
  const named = nodesOfMedia(values);
  const targets = await dropDeleted(services, current, draft, values);
  // A media follows the nodes of the revision.
  const nodes = nodesOfMedia(values).flatMap((id) => targets.get('node', id) ?? []);
  const belongsTo = { nodes, hasLostNode: named.length > 0 && nodes.length === 0 };
  const facts = current.kind.type === 'media' ? { ...head, belongsTo } : head;
  return { ...current, head: facts, document: documentOf(current.kind, draft, completeFields(bundle, values)) };
}

/**
 * Copies a previous revision to a new current one, except for fields that the actor may not change: unpublished content stays
 * unpublished for an actor who may not publish. Throws `unprocessable` if the model no longer has a field of the revision.
 */
export function revertTo(
  services: Services,
  actor: Actor,
  read: () => Promise<Content>,
  find: (current: Content) => Promise<Content>,
): Promise<Content> {
  return retrying(undefined, async () => {
    const current = await read();
    const previous = await find(current);
    if (previous.head.revisionId === current.head.revisionId) return current;
    await requireKnownFields(services, current, previous.head.revisionId ?? 0);
    const stored = open(current).draft;
    const next = nextDraft(services, actor, current, stored);
    const { draft, values } = open(previous);
    const { langcode, label, status, ownerId, created, base, revisionCreated } = draft;
    const restored: Draft = {
      ...next,
      langcode,
      label,
      status,
      ownerId,
      created,
      base: { ...base, revisionUserUuid: next.base.revisionUserUuid ?? base.ownerUuid },
      revisionLog: `Copy of the revision from ${new Date(revisionCreated * 1000).toISOString()}.`,
    };
    const { kind, bundle } = current;
    await keepUnchangeable(services, actor, { kind, current: open(current), restored: { draft: restored, values } });
    let change = NO_CHANGE;
    if (kind.type === 'media') {
      const type = bundle as MediaType;
      const targets = await refreshFileFacts(services, type, restored, values);
      const media = { id: restored.id, uuid: restored.uuid, type, values, previous: open(current).values };
      change = await announceSource(services, actor, media, targets);
    }
    const { statements: after, outdated } = change;
    const written = await writeOver(services, current, stored, { kind, bundle, draft: restored, values }, { after });
    await settleOutdated(services, outdated);
    return written;
  });
}

/** Removes references to deleted entities. Returns the targets of the others. */
async function dropDeleted(
  { database }: Services,
  { bundle }: Content,
  { base }: Draft,
  values: FieldValues,
): Promise<Targets> {
  const fields = referringFields(bundle);
  const wanted: TargetQuery = new Map();
  const want = (type: EntityType, items: Item[] = []) => {
    const { ids, uuids } = wanted.get(type) ?? { ids: new Set<number>(), uuids: new Set<string>() };
    for (const { target_id } of items) if (typeof target_id === 'number') ids.add(target_id);
    wanted.set(type, { ids, uuids });
  };
  for (const { name, type } of fields) want(type, values[name]);
  want('taxonomy_term', base.parent);
  want('file', base.thumbnail);
  const targets = await findTargets(database, wanted);
  const existing = (type: EntityType, items: Item[] = []) =>
    items.filter(({ target_id }) => targets.get(type, Number(target_id)) !== undefined);
  for (const { name, type } of fields) values[name] = existing(type, values[name]);
  if (base.parent) base.parent = existing('taxonomy_term', base.parent);
  if (base.thumbnail) base.thumbnail = existing('file', base.thumbnail);
  return targets;
}
