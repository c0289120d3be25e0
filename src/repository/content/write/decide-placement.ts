import { failedGuard } from '../../../database/errors.ts';
import type { FieldValues } from '../../../model/content-model.ts';
import { anchorNodes } from '../../access/anchor.ts';
import { ACCESS_TERMS, termsRuleText } from '../../access/terms-rule.ts';
import { MEMBER_OF } from '../../relations.ts';
import { type Content, membersOf } from '../content.ts';
import type { Services } from '../services.ts';
import type { Placement } from './content-rows.ts';
import type { ContentPlan } from './decide-content.ts';

const idsIn = (values: FieldValues, field: string): string =>
  JSON.stringify((values[field] ?? []).map(({ target_id }) => Number(target_id)).sort((one, other) => one - other));

/**
 * Returns the rules with which content is written. Undefined for content that has none, and for a change that concerns neither
 * its rules nor the items that it belongs to.
 */
export function placementFor(
  { access }: Pick<Services, 'access'>,
  { kind, draft, values }: ContentPlan,
  previous?: Content,
): Placement | undefined {
  if (kind.type !== 'node' && kind.type !== 'media') return undefined;
  const placement = {
    rule: draft.accessRule ?? null,
    termsRule: termsRuleText(values[ACCESS_TERMS]),
    nobody: access.sets.isEmpty,
  };
  if (previous === undefined) return kind.type === 'media' && placement.termsRule === null ? undefined : placement;
  const before = membersOf(previous);
  const isSame =
    (previous.head.accessRule ?? null) === placement.rule &&
    termsRuleText(before[ACCESS_TERMS]) === placement.termsRule &&
    (kind.type === 'media' || idsIn(before, MEMBER_OF) === idsIn(values, MEMBER_OF));
  return isSame ? undefined : placement;
}

/**
 * Runs a write of content. If members of a node must refer to it first, lets them, and throws the failed guard, after which the
 * write is repeated.
 */
export async function placing<Result>(services: Services, id: number, write: () => Promise<Result>): Promise<Result> {
  await services.access.refresh();
  try {
    return await write();
  } catch (error) {
    const guard = failedGuard(error);
    if (guard === 'guard_unanchored') await anchorNodes(services, [id]);
    if (guard !== undefined) services.access.forget();
    throw error;
  }
}
