import { nodeAccess } from '../repository/access.ts';
import type { Access } from '../repository/access-rule.ts';
import type { Actor } from '../repository/actor.ts';
import type { MemberAction } from './bulk-action.ts';

/** A member of an item, with the facts that decide whether it follows a change of the item. */
export interface Member {
  readonly id: number;
  readonly label: string;
  readonly bundle: string;
  readonly status: boolean;
  readonly ownerId: number;
  readonly accessSet: number;
  /** The items to which it belongs. */
  readonly parents: readonly { readonly id: number; readonly status: boolean }[];
}

/** A member that stays as it is. */
export interface KeptMember {
  readonly id: number;
  readonly label: string;
  readonly reason: string;
}

/** The members that follow a change of their items. */
export interface MemberPlan {
  readonly following: readonly Pick<Member, 'id'>[];
  readonly kept: readonly KeptMember[];
  /** The number of members that the actor may not view. They stay as they are. */
  readonly hidden: number;
}

export const BELONGS_TO_OTHER = 'It also belongs to another item, which stays.';
const READ_IN_OTHER = 'It also belongs to another item, which is published.';

/**
 * Decides which members follow a change of the items `chosen`: those that it changes. Members that the actor may not change stay. A member is deleted
 * only with all items to which it belongs, and unpublished only if none of the others is published.
 */
export function planMembers(
  actor: Actor,
  action: MemberAction,
  chosen: readonly number[],
  members: readonly Member[],
): MemberPlan {
  const visible = members.filter((member) => nodeAccess.view(actor, member).isAllowed);
  const isConcerned = ({ status }: Member) => action === 'delete' || status !== (action === 'publish');
  const concerned = visible.filter(isConcerned);
  const kept = new Map<number, KeptMember>();
  const keep = ({ id, label }: Member, reason: string) => kept.set(id, { id, label, reason });
  for (const member of concerned) {
    const access = accessTo(actor, action, member);
    if (!access.isAllowed) keep(member, `You may not change it. ${access.reason}`.trimEnd());
  }
  const following = new Map(concerned.filter(({ id }) => !kept.has(id)).map((member) => [member.id, member]));
  if (action !== 'publish') {
    const isChanged = new Set([...chosen, ...following.keys()]);
    const staysWith = ({ id, parents }: Member) =>
      parents.some((parent) => parent.id !== id && !isChanged.has(parent.id) && (action === 'delete' || parent.status));
    // A member that stays keeps its own members.
    for (let hasMore = true; hasMore; ) {
      hasMore = false;
      for (const member of following.values()) {
        if (!staysWith(member)) continue;
        keep(member, action === 'delete' ? BELONGS_TO_OTHER : READ_IN_OTHER);
        following.delete(member.id);
        isChanged.delete(member.id);
        hasMore = true;
      }
    }
  }
  return {
    following: [...following.values()],
    kept: [...kept.values()],
    hidden: members.length - visible.length,
  };
}

function accessTo(actor: Actor, action: MemberAction, member: Member): Access {
  return action === 'delete' ? nodeAccess.remove(actor, member) : nodeAccess.update(actor, member);
}
