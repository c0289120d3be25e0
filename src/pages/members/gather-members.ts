import { ServiceError } from '../../base/errors.ts';
import { MEMBER_SCOPES, type MemberAction, type MemberScope } from '../../bulk/bulk-action.ts';
import { findMembers } from '../../bulk/find-members.ts';
import type { KeptMember, MemberPlan } from '../../bulk/plan-members.ts';
import type { Content } from '../../repository/content/content.ts';
import type { Call } from '../../web/call.ts';
import { isOfStructure } from '../../web/item-structure.ts';

/** A choice of the members that follow a change. */
export interface MemberChoice {
  readonly scope: Exclude<MemberScope, 'none'>;
  /** The number of members that follow. */
  readonly count: number;
  readonly kept: readonly KeptMember[];
  /** The number of members that the caller may not view. */
  readonly hidden: number;
  /** The reason why this cannot be chosen. */
  readonly problem: string | undefined;
  readonly ids: readonly number[];
}

/** The choices of a change. */
export interface MemberChoices {
  readonly choices: readonly MemberChoice[];
  readonly usual: MemberScope;
}

interface GatherOptions {
  readonly action: MemberAction;
  readonly chosen: readonly number[];
  /** True to offer everything below the items. */
  readonly offersAll: boolean;
  /** True if everything below is the usual choice. */
  readonly isCompound: boolean;
}

/** Finds the members that may follow a change of items. Undefined if they have none. */
export async function gatherMembers(call: Call, options: GatherOptions): Promise<MemberChoices | undefined> {
  const { chosen, action, offersAll, isCompound } = options;
  const scopes = offersAll ? (['pages', 'all'] as const) : (['pages'] as const);
  const found = await Promise.all(scopes.map((scope) => choiceOf(call, { action, scope, chosen })));
  const [pages, all] = found;
  const offered = found.filter((choice) => choice !== undefined && sizeOf(choice) > 0) as MemberChoice[];
  // Everything below a book is often its pages.
  const choices = sizeOf(all) === sizeOf(pages) ? offered.filter(({ scope }) => scope === 'pages') : offered;
  if (choices.length === 0) return undefined;
  const hasPages = choices.some(({ scope }) => scope === 'pages');
  const hasAll = choices.some(({ scope }) => scope === 'all');
  return { choices, usual: hasPages ? 'pages' : isCompound && hasAll ? 'all' : 'none' };
}

/** Finds the members that may follow a change of one item. */
export async function gatherMembersOf(call: Call, node: Content, action: MemberAction) {
  return gatherMembers(call, {
    ...{ action, chosen: [node.head.id], offersAll: true },
    isCompound: await isOfStructure(call.api, node, 'compound'),
  });
}

/** Returns the chosen members of a form: the usual ones if it names none. */
export function scopeIn(text: string | undefined): MemberScope {
  return MEMBER_SCOPES.find((scope) => scope === text) ?? 'none';
}

const sizeOf = (choice: MemberChoice | undefined): number =>
  choice === undefined
    ? 0
    : choice.problem === undefined
      ? choice.count + choice.kept.length + choice.hidden
      : Infinity;

async function choiceOf(
  { api, actor }: Call,
  question: { action: MemberAction; scope: MemberChoice['scope']; chosen: readonly number[] },
): Promise<MemberChoice> {
  const { scope } = question;
  try {
    const plan: MemberPlan = await findMembers(api.services, actor, question);
    const ids = plan.following.map(({ id }) => id);
    return { scope, count: ids.length, kept: plan.kept, hidden: plan.hidden, problem: undefined, ids };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'unprocessable') throw error;
    return { scope, count: 0, kept: [], hidden: 0, problem: error.publicMessage, ids: [] };
  }
}
