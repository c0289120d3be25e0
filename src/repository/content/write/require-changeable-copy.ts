import { ServiceError } from '../../../base/errors.ts';
import type { FieldValues } from '../../../model/content-model.ts';
import { nodeAccess } from '../../access.ts';
import type { MediaNodes } from '../../access-rule.ts';
import type { Actor } from '../../actor.ts';
import { isCopyOfImage, type TextUses } from '../../search-index/text-uses.ts';

/**
 * Throws `forbidden` if a media is a copy of an image of its nodes, before or after a change, and the actor may not update
 * these nodes: pages and the Image API serve a copy in the place of the original.
 */
export async function requireChangeableCopy(
  uses: TextUses,
  actor: Actor,
  belongsTo: MediaNodes | undefined,
  ...states: readonly FieldValues[]
): Promise<void> {
  const nodes = belongsTo?.nodes ?? [];
  if (nodes.every((node) => nodeAccess.update(actor, node).isAllowed)) return;
  const terms = await uses.find();
  if (states.some((values) => isCopyOfImage(values, terms))) throw new ServiceError('forbidden', REFUSAL);
}

const REFUSAL = 'A thumbnail, service file or tile pack of an item changes with the right to update the item.';
