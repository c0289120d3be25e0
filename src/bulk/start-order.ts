import { and, desc, isNull, notExists, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { failedGuard } from '../database/errors.ts';
import { query } from '../database/query-builder.ts';
import { bulkItems } from '../database/schema/bulk.ts';
import { nodes } from '../database/schema/content.ts';
import { runs } from '../database/schema/runs.ts';
import { isText, literal, namesOf, nested, requireOne } from '../database/sql.ts';
import { type Named, plain, prepare } from '../database/statement.ts';
import type { Actor } from '../repository/actor.ts';
import { WEIGHT_FIELD } from '../repository/content/write/reference-statements.ts';
import type { RunState } from '../runs/runs.ts';
import { type BulkParameters, bulkRuns } from './bulk-action.ts';

/** A new weight of a member, which takes effect if it still has the present one. */
export interface NewWeight {
  readonly id: number;
  readonly present: number | null;
  readonly next: number;
}

const isOfNode = (nodeId: number | Named<{ nodeId: number }>['nodeId']) =>
  and(bulkRuns.isOfKind, sql`${runs.about} ->> '$.parameters.membersOf' = ${nodeId}`);

const weightsAs = (items: SQL) => sql`json_object(${literal(WEIGHT_FIELD)}, json(${items}))`;

/** The run of the same transaction has the greatest id. Items are `[id, present, next]`. */
const insertItems = prepare(({ list }: Named<{ list: string }>) =>
  plain(sql`INSERT INTO ${bulkItems} (${namesOf(bulkItems.runId, bulkItems.entityId, bulkItems.state, bulkItems.label, bulkItems.before, bulkItems.after)})
    SELECT (SELECT max(${runs.id}) FROM ${runs}), ${nodes.id}, ${literal('waiting')}, ${nodes.label},
      ${weightsAs(sql`CASE WHEN list.value ->> 1 IS NULL THEN json_array() ELSE json_array(json_object('value', list.value ->> 1)) END`)},
      ${weightsAs(sql`json_array(json_object('value', list.value ->> 2))`)}
    FROM json_each(${list}) list CROSS JOIN ${nodes} ON ${nodes.id} = list.value ->> 0 ORDER BY list.key`),
);

/**
 * Starts the run that saves an order of members. The run and its items are stored in one transaction. Returns its id, or
 * undefined if another run changes the order of the same members.
 */
export async function startOrder(
  database: Database,
  { id: userId }: Actor,
  { id: nodeId, label }: { readonly id: number; readonly label: string },
  weights: readonly NewWeight[],
): Promise<number | undefined> {
  const parameters: BulkParameters = { field: WEIGHT_FIELD, membersOf: nodeId, targetLabel: label };
  const others = query
    .select({ id: runs.id })
    .from(runs)
    .where(and(isNull(runs.endedAt), isOfNode(nodeId)));
  const list = JSON.stringify(weights.map(({ id, present, next }) => [id, present, next]));
  try {
    const { added } = await database.write({
      added: bulkRuns.add({ about: { type: 'node', action: 'order', parameters }, userId, where: notExists(others) }),
      guard: requireOne('lost'),
      items: insertItems({ list }),
    });
    return added[0]?.id;
  } catch (error) {
    if (failedGuard(error) === 'guard_lost') return undefined;
    throw error;
  }
}

/** The last run that changed the order of the members of an item. */
export interface OrderRun {
  readonly id: number;
  readonly userId: number | null;
  readonly state: RunState;
  /** The number of members that have their earlier weights. */
  readonly waiting: number;
}

const lastRun = prepare(({ nodeId }: Named<{ nodeId: number }>) =>
  query
    .select({
      id: runs.id,
      userId: runs.userId,
      state: runs.state,
      waiting: nested(sql<number>`(SELECT count(*) FROM ${bulkItems} WHERE ${bulkItems.runId} = ${runs.id}
        AND ${isText(bulkItems.state, 'waiting')})`),
    })
    .from(runs)
    .where(isOfNode(nodeId))
    .orderBy(desc(runs.id))
    .limit(1),
);

/** Returns the last run that changed the order of the members of an item. */
export function findOrderRun(database: Database, nodeId: number): Promise<OrderRun | undefined> {
  return database.get(lastRun({ nodeId }));
}
