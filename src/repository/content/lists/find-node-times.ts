import { sql } from 'drizzle-orm';
import { nodes } from '../../../database/schema/content.ts';
import { nodeRecords } from '../../../database/schema/search.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import type { BaseServices } from '../../base-services.ts';

/** The identifier and the times of a node, in seconds since 1970. */
export interface NodeTimes {
  readonly id: number;
  readonly uuid: string;
  readonly alias: string | null;
  readonly created: number;
  readonly changed: number;
}

const timesOf = prepare(({ ids }: Named<{ ids: string }>) =>
  plain(
    sql`SELECT ${nodes.id}, ${nodes.uuid}, ${nodes.alias}, coalesce(${nodeRecords.created}, ${nodes.changed}), ${nodes.changed}
      FROM json_each(${ids}) list CROSS JOIN ${nodes} ON ${nodes.id} = list.value
      LEFT JOIN ${nodeRecords} ON ${nodeRecords.nid} = ${nodes.id}`,
    { id: nodes.id, uuid: nodes.uuid, alias: nodes.alias, created: sql<number>`created`, changed: nodes.changed },
  ),
);

/** Returns the identifiers and times of nodes by id. Does not check access. */
export async function findNodeTimes(
  { database }: Pick<BaseServices, 'database'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, NodeTimes>> {
  const rows = await database.all(timesOf({ ids: JSON.stringify(ids) }));
  return new Map(rows.map((row) => [row.id, row]));
}
