import { findOrderRun } from '../../bulk/start-order.ts';
import { integerRange } from '../../field-types/number.tsx';
import { pathOf } from '../../paths.ts';
import { nodeAccess, permissionAccess } from '../../repository/access.ts';
import { type Content, open } from '../../repository/content/content.ts';
import { MAX_LISTED } from '../../repository/content/lists/card-list.ts';
import { findOrderedMembers, type OrderedMember } from '../../repository/content/lists/find-ordered-members.ts';
import { WEIGHT_FIELD } from '../../repository/content/write/reference-statements.ts';
import type { Call } from '../../web/call.ts';
import type { OrderPageData, OrderRefusal } from './order-data.ts';
import { type ArrangedOrder, mergeOrders, type OrderForm } from './read-order.ts';

/** The members of an item at present. */
export interface PresentOrder {
  readonly members: readonly OrderedMember[];
  /** Changes with the members, their order and their weights. */
  readonly opened: string;
  readonly refusal: OrderRefusal | undefined;
}

/** Reads the members of an item, and decides whether the caller may order them. */
export async function findPresentOrder({ api, actor }: Call, node: Content): Promise<PresentOrder> {
  const ordered = await findOrderedMembers(api.services, actor, node.head.id);
  const members = ordered ?? [];
  const weights = members.map(({ id, weight }) => [id, weight]);
  const opened = new Bun.CryptoHasher('sha256').update(JSON.stringify(weights)).digest('hex').slice(0, 32);
  if (ordered === undefined) return { members, opened, refusal: { reason: 'many', most: MAX_LISTED } };
  if (ordered.length < 2) return { members, opened, refusal: { reason: 'few' } };
  const { nodeTypes } = api.services.model;
  const of = ordered.length;
  const locked = ordered.filter((member) => !nodeAccess.update(actor, member).isAllowed).length;
  if (locked > 0) return { members, opened, refusal: { reason: 'locked', count: locked, of } };
  const hasField = ({ bundle }: OrderedMember) =>
    nodeTypes.get(bundle)?.fieldNamed.get(WEIGHT_FIELD)?.type === 'integer';
  const fieldless = ordered.filter((member) => !hasField(member)).length;
  return {
    ...{ members, opened },
    refusal: fieldless > 0 ? { reason: 'fieldless', count: fieldless, of } : undefined,
  };
}

/** Returns the weights that the fields of all members accept. */
export function weightRange({ api }: Call, members: readonly OrderedMember[]) {
  const { nodeTypes } = api.services.model;
  const definitions = [...new Set(members.map(({ bundle }) => bundle))].flatMap(
    (bundle) => nodeTypes.get(bundle)?.fieldNamed.get(WEIGHT_FIELD) ?? [],
  );
  const ranges = definitions.map(integerRange);
  return {
    lowest: Math.max(...ranges.map(([lowest]) => lowest)),
    highest: Math.min(...ranges.map(([, highest]) => highest)),
  };
}

/** A form that is shown again, since its order was not saved. */
export interface SentOrder {
  readonly typed: OrderForm;
  readonly arranged: ArrangedOrder;
  /** True if the members have changed since its page was opened. */
  readonly isOutdated: boolean;
}

/** Returns the data of the page of an order. `sent` is the form that is shown again. */
export async function gatherOrderPage(
  call: Call,
  node: Content,
  { members, opened, refusal }: PresentOrder,
  sent?: SentOrder,
): Promise<OrderPageData> {
  const run = await findOrderRun(call.api.services.database, node.head.id);
  const isOpen = run?.state === 'running' || run?.state === 'preparing';
  const path = run && mayOpen(call, run.userId) ? pathOf('bulkRun', { run: run.id }) : undefined;
  return {
    ...{ id: node.head.id, title: open(node).draft.label, token: call.formToken },
    ...{ opened, refusal, messages: sent?.arranged.messages ?? [] },
    rows: rowsOf(members, sent),
    isChanged: sent !== undefined,
    conflict: sent?.isOutdated ? differenceOf(members, sent.typed) : undefined,
    running: isOpen ? { path } : undefined,
    stopped: run?.state === 'stopped' && run.waiting > 0 ? { path, waiting: run.waiting } : undefined,
    shared: members.filter(({ isShared }) => isShared).length,
  };
}

/** Users may open the pages of their own changes, administrators of all. */
function mayOpen({ actor }: Call, userId: number | null): boolean {
  return userId === actor.id || permissionAccess(actor, 'administer site configuration').isAllowed;
}

function rowsOf(members: readonly OrderedMember[], sent: SentOrder | undefined): OrderPageData['rows'] {
  const known = new Map(members.map((member) => [member.id, member]));
  const present = members.map(({ id }) => id);
  // Positions that cannot be read stay as they were typed.
  const typed = new Map(sent?.arranged.messages.length ? sent.typed.entries.map((each) => [each.id, each.typed]) : []);
  const isSent = new Set(sent?.typed.entries.map(({ id }) => id));
  const ids = sent === undefined ? present : mergeOrders(sent.arranged.ids, present);
  return ids.flatMap((id, at) => {
    const member = known.get(id);
    if (member === undefined) return [];
    const { label, language, status, thumbnail } = member;
    return {
      ...{ id, label, language, thumbnail, isPublished: status },
      position: typed.get(id) ?? String(at + 1),
      isAdded: sent !== undefined && !isSent.has(id),
    };
  });
}

function differenceOf(members: readonly OrderedMember[], { entries }: OrderForm) {
  const [isPresent, isSent] = [new Set(members.map(({ id }) => id)), new Set(entries.map(({ id }) => id))];
  return {
    added: members.filter(({ id }) => !isSent.has(id)).length,
    removed: entries.filter(({ id }) => !isPresent.has(id)).length,
  };
}
