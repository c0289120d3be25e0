import type { FieldValues, Item } from '../../model/content-model.ts';
import { entityPath } from '../../paths.ts';
import type { Actor } from '../actor.ts';
import { open } from '../content/content.ts';
import { findTargets } from '../content/fill/targets.ts';
import type { ContentKind } from '../content/kinds.ts';
import { referringFields } from '../content/referring-fields.ts';
import { nextDraft } from '../content/write/decide-content.ts';
import { clearTerms, writeOver } from '../content/write/save-content.ts';
import { findReplacing, type ReplacingTerm } from '../merged-terms.ts';
import { retrying } from '../retrying.ts';
import type { MergeParts } from './merge-term.ts';

/** The terms of a move, and its description for the log of the revisions. */
interface Move {
  readonly from: number;
  readonly into: number;
  readonly log: string;
}

/**
 * Moves the references of an entity from one term to another, with a new revision if its type has them. It checks no other value, so that
 * content from before a rule can follow, too. Returns false for content that the model does not have.
 */
export function moveReferences(
  { services, findContent }: MergeParts,
  actor: Actor,
  { type }: ContentKind,
  id: number,
  { from, into, log }: Move,
): Promise<boolean> {
  return retrying(clearTerms(services), async () => {
    const content = await findContent(type, id);
    const target = await findReplacing(services.database, into);
    if (content === undefined || target === undefined) return false;
    const { kind, bundle } = content;
    const stored = open(content);
    const draft = nextDraft(services, actor, content, stored.draft);
    draft.revisionLog = log;
    const values: FieldValues = { ...stored.values };
    for (const { name, type: targetType } of referringFields(bundle))
      if (targetType === 'taxonomy_term') values[name] = moved(values[name] ?? [], from, target);
    // A term is not below itself.
    if (kind.type === 'taxonomy_term')
      draft.base.parent = moved(draft.base.parent ?? [], from, target).filter(
        ({ target_id }) => target_id !== content.head.id,
      );
    const wanted = new Map([['taxonomy_term' as const, { ids: new Set([target.id]), uuids: new Set<string>() }]]);
    const targets = await findTargets(services.database, wanted, services.terms);
    await writeOver(services, content, stored.draft, { kind, bundle, draft, values, targets });
    return true;
  });
}

/** Returns items that refer to the other term, each once. */
function moved(items: readonly Item[], from: number, { id, uuid }: ReplacingTerm): Item[] {
  if (!items.some(({ target_id }) => target_id === from)) return [...items];
  const seen = new Set<string>();
  return items
    .map((item) =>
      item.target_id === from
        ? {
            ...{ ...item, target_id: id },
            ...('target_uuid' in item && { target_uuid: uuid }),
            ...('url' in item && { url: entityPath.taxonomy_term(id) }),
          }
        : item,
    )
    .filter((item) => {
      const text = JSON.stringify(item);
      return item.target_id !== id || (!seen.has(text) && seen.add(text));
    });
}
