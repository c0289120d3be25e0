import type { FieldValues, Item, MediaType } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import type { Draft } from '../content/base-field.ts';
import { type Content, completeFields, documentOf, open } from '../content/content.ts';
import type { ContentKind } from '../content/kinds.ts';
import { entityTarget } from '../content/resolve-references.ts';
import { nextDraft, retrying, saveOver } from '../content/save-content.ts';
import { findTargets, type Wanted } from '../content/targets.ts';
import { tableNames } from '../content/write-content.ts';
import { announceSource } from '../derivatives/announce-source.ts';
import { measureAgain } from '../media/measure-again.ts';
import type { Services } from '../services.ts';
import type { RevisionSnapshot } from './write-revision.ts';

/** One entry of an entity's history. */
export interface Revision {
  readonly id: number;
  readonly created: number;
  readonly userId: number | null;
  readonly userUuid: string | null;
  readonly log: string | null;
  readonly isCurrent: boolean;
}

/** The history of an entity, newest first. `offset` and `limit` count revisions. */
export async function listRevisions(
  { database }: Services,
  kind: ContentKind,
  entityId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<Revision[]> {
  const [, revisions] = tableNames(kind);
  const { rows } = await database.client.execute({
    sql: `SELECT r.id, r.created, r.user_id, u.uuid, r.log, r.snapshot IS NULL
      FROM ${revisions} r LEFT JOIN user u ON u.id = r.user_id
      WHERE r.entity_id = ? ORDER BY r.id DESC LIMIT ? OFFSET ?`,
    args: [entityId, limit, offset],
  });
  return (rows as unknown as [number, number, number | null, string | null, string | null, number][]).map(
    ([id, created, userId, userUuid, log, isCurrent]) => ({
      id,
      created,
      userId,
      userUuid,
      log,
      isCurrent: isCurrent === 1,
    }),
  );
}

/** Content as a revision held it, without references to what was deleted since. Undefined for a revision of something else. */
export async function findRevision(
  services: Services,
  current: Content,
  revisionId: number,
): Promise<Content | undefined> {
  if (revisionId === current.head.revisionId) return current;
  const [, revisions] = tableNames(current.kind);
  const { rows } = await services.database.client.execute({
    sql: `SELECT snapshot, log FROM ${revisions} WHERE id = ? AND entity_id = ?`,
    args: [revisionId, current.head.id],
  });
  const snapshot = rows[0]?.[0];
  if (typeof snapshot !== 'string') return undefined;
  const { document, ...kept } = JSON.parse(snapshot) as RevisionSnapshot;
  const { bundle } = current;
  const head = { ...current.head, ...kept, revisionId, revisionLog: rows[0]?.[1] as string | null };
  const { draft, values } = open({ ...current, head, document });
  // An alias is the entity's and not its revisions'.
  const { alias, aliasId } = open(current).draft;
  Object.assign(draft, { alias, aliasId });
  await dropDeleted(services, current, draft, values);
  return { ...current, head, document: documentOf(current.kind, draft, completeFields(bundle, values)) };
}

/** Makes what a revision held current again, as a new revision; the current one stays as it is. */
export function revertTo(
  services: Services,
  actor: Actor,
  read: () => Promise<Content>,
  find: (current: Content) => Promise<Content>,
): Promise<Content> {
  return retrying(undefined, async () => {
    const current = await read();
    const former = await find(current);
    if (former.head.revisionId === current.head.revisionId) return current;
    const stored = open(current).draft;
    const next = nextDraft(services, actor, current, stored);
    const { draft, values } = open(former);
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
    if (current.kind.type !== 'media') return saveOver(services, current, stored, restored, values);
    const type = current.bundle as MediaType;
    const targets = await measureAgain(services, type, restored, values);
    const media = { uuid: restored.uuid, type, values, former: open(current).values };
    const after = await announceSource(services, actor, media, targets);
    return saveOver(services, current, stored, restored, values, { after });
  });
}

async function dropDeleted(services: Services, content: Content, draft: Draft, values: FieldValues): Promise<void> {
  const referring = content.bundle.fields.filter((definition) => entityTarget(definition) !== undefined);
  const wanted: Wanted = new Map();
  const want = (type: 'node' | 'media' | 'taxonomy_term' | 'file' | 'user', items: Item[] = []) => {
    const { ids, uuids } = wanted.get(type) ?? { ids: new Set<number>(), uuids: new Set<string>() };
    for (const { target_id } of items) if (typeof target_id === 'number') ids.add(target_id);
    wanted.set(type, { ids, uuids });
  };
  for (const definition of referring) want(entityTarget(definition) as 'node', values[definition.name]);
  want('taxonomy_term', draft.base.parent);
  want('file', draft.base.thumbnail);
  const targets = await findTargets(services.database, wanted);
  const living = (type: Parameters<typeof want>[0], items: Item[]) =>
    items.filter(({ target_id }) => targets.get(type, Number(target_id)) !== undefined);
  for (const definition of referring)
    values[definition.name] = living(entityTarget(definition) as 'node', values[definition.name] ?? []);
  if (draft.base.parent) draft.base.parent = living('taxonomy_term', draft.base.parent);
  if (draft.base.thumbnail) draft.base.thumbnail = living('file', draft.base.thumbnail);
}
