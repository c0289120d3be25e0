import type { Database } from '../../../database/database.ts';
import { query } from '../../../database/query-builder.ts';
import { nodes } from '../../../database/schema/content.ts';
import { isAmong } from '../../../database/sql.ts';
import { type Named, prepare } from '../../../database/statement.ts';
import { accessSetOf } from '../../access/set-columns.ts';
import { nodeAccess } from '../../access.ts';
import type { Actor } from '../../actor.ts';

const { id, label, bundle, ownerId, status } = nodes;
const findNodes = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({ id, label, bundle, ownerId, status, accessSet: accessSetOf(id) })
    .from(nodes)
    .where(isAmong(id, ids)),
);

/** Returns the titles of those of the nodes that the actor may view, by id. */
export async function findItemLabels(
  database: Database,
  actor: Actor,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const nodes = await database.all(findNodes({ ids: JSON.stringify(ids) }));
  return new Map(nodes.filter((node) => nodeAccess.view(actor, node).isAllowed).map((node) => [node.id, node.label]));
}
