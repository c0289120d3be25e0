import { sql } from 'drizzle-orm';
import { references } from '../../database/schema/references.ts';
import { nodeRecords } from '../../database/schema/search.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { Actor } from '../actor.ts';
import { NODE_KIND } from '../content/hidden-nodes.ts';
import type { Services } from '../content/services.ts';
import { preparePerVisibility, type VisibleKind } from '../content/visible-rows.ts';
import { isMemberOf } from '../relations.ts';

const membersWithText = preparePerVisibility((_: VisibleKind, visible) =>
  prepare(({ nodeId, actorId }: Named<{ nodeId: number; actorId: number }>) =>
    plain(
      sql`SELECT EXISTS (SELECT 1 FROM ${references}
        CROSS JOIN ${nodeRecords} ON ${nodeRecords.nid} = ${references.sourceId} AND ${nodeRecords.hasText} = 1
        WHERE ${isMemberOf(references, nodeId)} AND ${visible({ ...nodeRecords, id: nodeRecords.nid }, actorId)})`,
      { exists: sql<number>`found` },
    ),
  ),
);

/** Returns true if a node has members with text that the actor may view. */
export async function haveMembersText(
  { database }: Pick<Services, 'database'>,
  actor: Actor,
  nodeId: number,
): Promise<boolean> {
  const row = await database.get(membersWithText(NODE_KIND, actor)({ nodeId, actorId: actor.id }));
  return row?.exists === 1;
}
