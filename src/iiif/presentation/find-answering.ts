import type { Actor } from '../../repository/actor.ts';
import { findNextMembers, findShowableNodes, type ShowableNode } from '../../repository/content/lists/find-showable.ts';
import type { Services } from '../../repository/content/services.ts';
import { canvasMediaOf } from './choose-canvas-media.ts';

/** The number of members per node and query. Nearly always the first one has a canvas. */
const MEMBERS_AT_ONCE = 10;

/** Returns those of many nodes whose manifest answers an actor: with a canvas of their own, or of one of their members. */
export async function findAnswering(
  services: Services,
  actor: Actor,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const answering = new Set(idsOfShown(await findShowableNodes(services, actor, ids)));
  return answering.union(
    await findWithMembers(
      services,
      actor,
      ids.filter((id) => !answering.has(id)),
    ),
  );
}

/** Returns those of many nodes that have a member with a canvas. */
export async function findWithMembers(
  services: Services,
  actor: Actor,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const answering = new Set<number>();
  let open = ids;
  for (let offset = 0; open.length > 0; offset += MEMBERS_AT_ONCE) {
    const next = await findNextMembers(services, actor, open, { limit: MEMBERS_AT_ONCE, offset });
    const shown = new Set(
      idsOfShown(await findShowableNodes(services, actor, [...new Set([...next.values()].flat())])),
    );
    for (const [id, members] of next) if (members.some((member) => shown.has(member))) answering.add(id);
    open = [...next.keys()].filter((id) => !answering.has(id));
  }
  return answering;
}

const idsOfShown = (nodes: readonly ShowableNode[]) =>
  nodes.filter((node) => canvasMediaOf(node) !== undefined).map(({ id }) => id);
