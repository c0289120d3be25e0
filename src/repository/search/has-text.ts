import { sql } from 'drizzle-orm';
import { references } from '../../database/schema/references.ts';
import { nodeRecords } from '../../database/schema/search.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { Actor } from '../actor.ts';
import { NODE_KIND } from '../content/hidden-nodes.ts';
import type { Services } from '../content/services.ts';
import { preparePerVisibility, type ViewerValues, type VisibleKind, viewerValues } from '../content/visible-rows.ts';
import { isMemberOf } from '../relations.ts';

const membersWithText = preparePerVisibility((_: VisibleKind, visible) =>
  prepare((values: Named<{ nodeId: number } & ViewerValues>) =>
    plain(
      sql`SELECT EXISTS (SELECT 1 FROM ${references}
        CROSS JOIN ${nodeRecords} ON ${nodeRecords.nid} = ${references.sourceId} AND ${nodeRecords.hasText} = 1
        WHERE ${isMemberOf(references, values.nodeId)} AND ${visible({ ...nodeRecords, id: nodeRecords.nid }, values)})`,
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
  const row = await database.get(membersWithText(NODE_KIND, actor)({ nodeId, ...viewerValues(actor) }));
  return row?.exists === 1;
}
