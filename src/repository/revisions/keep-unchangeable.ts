import type { Actor } from '../actor.ts';
import { actorAt } from '../actor-at.ts';
import { refusedChange } from '../content/base-field.ts';
import type { OpenContent } from '../content/content.ts';
import { foreignNodes } from '../content/fill/check-media-nodes.ts';
import { leavesPlaces } from '../content/fill/check-places.ts';
import { refusedFormats } from '../content/fill/check-values.ts';
import { findTargets } from '../content/fill/targets.ts';
import type { ContentKind } from '../content/kinds.ts';
import type { Services } from '../content/services.ts';
import { MEDIA_OF, MEMBER_OF, nodesOfMedia } from '../relations.ts';

interface Restoring {
  readonly kind: ContentKind;
  readonly current: OpenContent;
  /** The values of the previous revision, for the next one. */
  readonly restored: OpenContent;
}

/**
 * Puts back the current values of fields that the actor may not change as a PATCH would: status, owner and dates, texts in
 * other formats, and nodes of a media. Changes draft and values of `restored`.
 */
export async function keepUnchangeable(
  { database, model }: Services,
  actor: Actor,
  { kind, current, restored }: Restoring,
): Promise<void> {
  const parents = (restored.values[MEMBER_OF] ?? []).map(({ target_id }) => Number(target_id));
  const ids = new Set([...nodesOfMedia(restored.values), ...parents]);
  const there = actorAt(actor, kind.type, current.draft);
  const targets = await findTargets(database, new Map([['node', { ids, uuids: new Set() }]]));
  for (const { update, read, write } of kind.baseFields)
    if (update.kind === 'permission' && refusedChange(update, there) !== undefined)
      write?.(restored.draft, read(current.draft));
  const bundle = kind.bundles.get(current.draft.bundle);
  for (const definition of bundle?.fields ?? []) {
    const { name } = definition;
    const [items, stored] = [restored.values[name] ?? [], current.values[name] ?? []];
    const isRefused =
      refusedFormats(model, there, definition, items, stored).length > 0 ||
      (kind.type === 'media' && name === MEDIA_OF && foreignNodes(actor, items, stored, targets).length > 0) ||
      (kind.type === 'node' && name === MEMBER_OF && leavesPlaces(actor, current.draft, items, stored, targets));
    if (isRefused) restored.values[name] = stored;
  }
}
