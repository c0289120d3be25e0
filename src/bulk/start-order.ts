import { and, desc, eq, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { CLOCK } from '../database/database-time.ts';
import { failedGuard } from '../database/errors.ts';
import { query } from '../database/query-builder.ts';
import { bulkItems, bulkRuns } from '../database/schema/bulk.ts';
import { nodes } from '../database/schema/content.ts';
import { isText, literal, namesOf, nested, requireOne } from '../database/sql.ts';
import { type Named, plain, prepare } from '../database/statement.ts';
import type { Actor } from '../repository/actor.ts';
import { WEIGHT_FIELD } from '../repository/content/write/reference-statements.ts';
import type { BulkParameters, RunState } from './bulk-action.ts';

/** A new weight of a member, which takes effect if it still has the present one. */
export interface NewWeight {
  readonly id: number;
  readonly present: number | null;
  readonly next: number;
}

type RunRow = { readonly userId: number; readonly nodeId: number; readonly parameters: string };

const isOfNode = (nodeId: Named<{ nodeId: number }>['nodeId']) =>
  sql`${bulkRuns.parameters} ->> 'membersOf' = ${nodeId}`;

const insertRun = prepare(({ userId, nodeId, parameters }: Named<RunRow>) =>
  plain(
    sql`INSERT INTO ${bulkRuns} (${namesOf(bulkRuns.userId, bulkRuns.entityType, bulkRuns.action, bulkRuns.parameters, bulkRuns.state, bulkRuns.createdAt)})
      SELECT ${userId}, 'node', 'order', ${parameters}, 'running', ${CLOCK}
      WHERE NOT EXISTS (SELECT 1 FROM ${bulkRuns} WHERE ${bulkRuns.endedAt} IS NULL AND ${isOfNode(nodeId)})
      RETURNING ${namesOf(bulkRuns.id)}`,
    { id: bulkRuns.id },
  ),
);

/** The run of the same transaction has the greatest id. Items are `[id, present, next]`. */
const insertItems = prepare(({ list }: Named<{ list: string }>) =>
  plain(sql`INSERT INTO ${bulkItems} (${namesOf(bulkItems.runId, bulkItems.entityId, bulkItems.state, bulkItems.label, bulkItems.before, bulkItems.after)})
    SELECT (SELECT max(${bulkRuns.id}) FROM ${bulkRuns}), ${nodes.id}, ${literal('waiting')}, ${nodes.label},
      CASE WHEN list.value ->> 1 IS NULL THEN '[]' ELSE json_array(json_object('value', list.value ->> 1)) END,
      json_array(json_object('value', list.value ->> 2))
    FROM json_each(${list}) list CROSS JOIN ${nodes} ON ${nodes.id} = list.value ->> 0 ORDER BY list.key`),
);

/**
 * Starts the run that saves an order of members. The run and its items are stored in one transaction. Returns its id, or
 * undefined if another run changes the order of the same members.
 */
export async function startOrder(
  database: Database,
  actor: Actor,
  { id: nodeId, label }: { readonly id: number; readonly label: string },
  weights: readonly NewWeight[],
): Promise<number | undefined> {
  const parameters: BulkParameters = { field: WEIGHT_FIELD, membersOf: nodeId, targetLabel: label };
  const list = JSON.stringify(weights.map(({ id, present, next }) => [id, present, next]));
  try {
    const { runs } = await database.write({
      runs: insertRun({ userId: actor.id, nodeId, parameters: JSON.stringify(parameters) }),
      guard: requireOne('lost'),
      items: insertItems({ list }),
    });
    return runs[0]?.id;
  } catch (error) {
    if (failedGuard(error) === 'guard_lost') return undefined;
    throw error;
  }
}

/** The last run that changed the order of the members of an item. */
export interface OrderRun {
  readonly id: number;
  readonly userId: number;
  readonly state: RunState;
  /** The number of members that have their earlier weights. */
  readonly waiting: number;
}

const lastRun = prepare(({ nodeId }: Named<{ nodeId: number }>) =>
  query
    .select({
      id: bulkRuns.id,
      userId: bulkRuns.userId,
      state: bulkRuns.state,
      waiting: nested(sql<number>`(SELECT count(*) FROM ${bulkItems} WHERE ${bulkItems.runId} = ${bulkRuns.id}
        AND ${isText(bulkItems.state, 'waiting')})`),
    })
    .from(bulkRuns)
    .where(and(eq(bulkRuns.entityType, 'node'), isOfNode(nodeId)))
    .orderBy(desc(bulkRuns.id))
    .limit(1),
);

/** Returns the last run that changed the order of the members of an item. */
export function findOrderRun(database: Database, nodeId: number): Promise<OrderRun | undefined> {
  return database.get(lastRun({ nodeId }));
}
