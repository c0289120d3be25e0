import { query } from '../../../database/query-builder.ts';
import { nodeAccess } from '../../../database/schema/access.ts';
import { isAmong } from '../../../database/sql.ts';
import { type Named, prepare } from '../../../database/statement.ts';
import { effectiveRule, isAsStrict } from '../../../model/access-rules.ts';
import type { FieldValues } from '../../../model/content-model.ts';
import type { Actor } from '../../actor.ts';
import { fieldDenied } from '../../errors.ts';
import { MEMBER_OF } from '../../relations.ts';
import type { Draft } from '../base-field.ts';
import type { Services } from '../services.ts';

const PERMISSION = 'open restricted content';

const findSets = prepare(({ ids }: Named<{ readonly ids: string }>) =>
  query.select({ setId: nodeAccess.setId }).from(nodeAccess).where(isAmong(nodeAccess.nid, ids)),
);

/**
 * Throws `forbidden` if the rule of a node opens what the items that it belongs to close, and the actor lacks the permission for
 * that.
 */
export async function requireStrictness(
  { database, access }: Services,
  actor: Actor,
  { draft, values }: { readonly draft: Draft; readonly values: FieldValues },
  isNew: boolean,
): Promise<void> {
  if (draft.accessRule === undefined || actor.may(PERMISSION)) return;
  const parents = (values[MEMBER_OF] ?? []).map(({ target_id }) => target_id);
  const sets = parents.length === 0 ? [] : await database.all(findSets({ ids: JSON.stringify(parents) }));
  const inherited = sets.flatMap(({ setId }) => access.sets.rulesOf(setId));
  const rule = effectiveRule(draft.accessRule, access.names, new Map());
  if (inherited.every((other) => isAsStrict(rule, other))) return;
  const reason = `The rule is less strict than that of the item to which it belongs: the '${PERMISSION}' permission is required.`;
  throw fieldDenied(isNew ? 'creating' : 'updating', 'access_rule', reason);
}
