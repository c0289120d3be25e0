import type { Bundle, Item } from '../../../model/content-model.ts';
import { nodeAccess } from '../../access.ts';
import type { Actor } from '../../actor.ts';
import { actorAt } from '../../actor-at.ts';
import { fieldDenied } from '../../errors.ts';
import { MEDIA_OF, MEMBER_OF } from '../../relations.ts';
import type { Draft } from '../base-field.ts';
import type { ContentKind } from '../kinds.ts';
import type { SubmittedField } from './resolve-references.ts';
import type { Targets } from './targets.ts';

/** Content as it is, or new content. */
interface WrittenContent {
  readonly kind: ContentKind;
  readonly bundle: Bundle;
  readonly draft: Draft;
  readonly isNew: boolean;
}

/** Returns the actor with the permissions at content: new content is at all nodes that it is to belong to. */
export function actorThere(
  actor: Actor,
  { kind, draft, isNew }: WrittenContent,
  fields: readonly SubmittedField[],
  targets: Targets,
): Actor {
  if (!actor.hasPlaces) return actor;
  if (!isNew) return actorAt(actor, kind.type, draft);
  const field = fields.find(({ definition: { name } }) => name === fieldOfPlace(kind));
  return actor.at((field?.items ?? []).map((item) => setOf(item, targets)));
}

const fieldOfPlace = ({ type }: ContentKind) => (type === 'node' ? MEMBER_OF : type === 'media' ? MEDIA_OF : undefined);

/** A node that does not exist has no roles. */
const setOf = ({ target_id }: Item, targets: Targets) => targets.get('node', Number(target_id))?.accessSet ?? 0;

/**
 * Throws `forbidden` for new content outside the collections for which the actor has a role that permits it, and for a change of
 * an item of such a collection that moves it out.
 */
export function requirePlaces(
  actor: Actor,
  current: WrittenContent,
  fields: readonly SubmittedField[],
  targets: Targets,
): void {
  if (!actor.hasPlaces) return;
  const { kind, bundle, draft, isNew } = current;
  const name = fieldOfPlace(kind);
  if (name === undefined) return;
  if (isNew) {
    const access = kind.access.create(actorThere(actor, current, fields, targets), bundle.name);
    if (!access.isAllowed) throw fieldDenied('creating', name, OUTSIDE);
    return;
  }
  const field = fields.find(({ definition }) => definition.name === MEMBER_OF);
  if (kind.type === 'node' && field !== undefined && leavesPlaces(actor, draft, field.items, field.stored, targets))
    throw fieldDenied('updating', MEMBER_OF, OUTSIDE);
}

const OUTSIDE = 'Your role for a collection requires that the content belongs to this collection.';

/**
 * Returns true if an actor who may update a node only by a role for a collection would move it: out of all collections, or to a
 * node where the actor may not create such a node.
 */
export function leavesPlaces(
  actor: Actor,
  draft: Draft,
  items: readonly Item[],
  stored: readonly Item[],
  targets: Targets,
): boolean {
  if (!actor.hasPlaces || nodeAccess.update(actor, { ...draft, accessSet: 0 }).isAllowed) return false;
  const kept = new Set(stored.map(({ target_id }) => Number(target_id)));
  const mayAdd = (item: Item) => nodeAccess.create(actor.at([setOf(item, targets)]), draft.bundle).isAllowed;
  return items.length === 0 || !items.every((item) => kept.has(Number(item.target_id)) || mayAdd(item));
}
