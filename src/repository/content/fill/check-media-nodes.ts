import type { Item } from '../../../model/content-model.ts';
import { nodeAccess } from '../../access.ts';
import type { Actor } from '../../actor.ts';
import { fieldDenied } from '../../errors.ts';
import { MEDIA_OF } from '../../relations.ts';
import type { SubmittedField } from './resolve-references.ts';
import type { Targets } from './targets.ts';

/**
 * Throws `forbidden` if a media is to belong to a node that the actor may view and not update: nobody puts a cover, pages or
 * a text on the item of another person. Nodes to which the media belongs already are kept.
 */
export function requireChangeableNodes(
  actor: Actor,
  verb: 'creating' | 'updating',
  fields: readonly SubmittedField[],
  targets: Targets,
): void {
  const field = fields.find(({ definition }) => definition.name === MEDIA_OF);
  if (field === undefined) return;
  const refused = foreignNodes(actor, field.items, field.stored, targets)[0];
  if (refused !== undefined)
    throw fieldDenied(verb, MEDIA_OF, `You may not update the referenced entity (node: ${refused}).`);
}

/** Returns the ids of the nodes that a media does not belong to yet, and that the actor may view and not update. */
export function foreignNodes(
  actor: Actor,
  items: readonly Item[],
  stored: readonly Item[],
  targets: Targets,
): number[] {
  const kept = new Set(stored.map(({ target_id }) => target_id));
  return items.flatMap(({ target_id }) => {
    const node = kept.has(target_id as number) ? undefined : targets.get('node', Number(target_id));
    const isForeign = node && nodeAccess.view(actor, node).isAllowed && !nodeAccess.update(actor, node).isAllowed;
    return isForeign ? [node.id] : [];
  });
}
