import { sql } from 'drizzle-orm';
import { madeOnce } from '../../base/made-once.ts';
import { nodes } from '../../database/schema/content.ts';
import { nodeRecords } from '../../database/schema/search.ts';
import { literal } from '../../database/sql.ts';
import { plain, prepare } from '../../database/statement.ts';
import type { ContentModel } from '../../model/content-model.ts';
import { ALL, HarvestOrder, type HarvestRow, START } from '../../repository/access/harvest-order.ts';
import type { Sets } from './find-sets.ts';
import type { HarvestServices } from './harvest-services.ts';
import type { Selection } from './parse-request.ts';
import type { Position } from './resumption-token.ts';

/** A record that harvesters see: of a node that they see, or of one that they have seen. */
export interface HarvestedRow extends HarvestRow {
  /** A JSON list of the nodes that it is a member of. */
  readonly collections: string;
  /** The size of its document; 0 for a deleted node. */
  readonly bytes: number;
}

type RecordServices = Pick<HarvestServices, 'database' | 'model' | 'viewer' | 'access'>;

const { nid, harvestStamp, collections, bundle } = nodeRecords;

const orderOf = madeOnce(({ harvest }: ContentModel) => {
  const types = [...harvest.nodeTypes].map(literal);
  return new HarvestOrder<HarvestedRow>({
    columns: {
      collections: sql`${collections}`,
      bytes: sql`coalesce((SELECT octet_length(${nodes.document}) FROM ${nodes} WHERE ${nodes.id} = ${nid}), 0)`,
    },
    where: () => sql`${bundle} IN (${sql.join(types, sql`, `)})`,
  });
});

const earliest = prepare(() =>
  plain(sql`SELECT min(${harvestStamp}) FROM ${nodeRecords} WHERE ${harvestStamp} IS NOT NULL`, {
    stamp: sql<number | null>`stamp`,
  }),
);

/** A part of a list of records. */
export interface RecordPage {
  readonly rows: readonly HarvestedRow[];
  /** True if more records follow. */
  readonly hasMore: boolean;
  /** The number of records of the whole list; undefined for a part that is not the first. */
  readonly size: number | undefined;
}

/** Finds the records of a selection after a position, by the time of their last change. */
export async function findPage(
  { database, model, viewer, access }: RecordServices,
  { from = ALL.from, until = ALL.until, set }: Selection,
  sets: Sets,
  position: Position | undefined,
  limit: number,
): Promise<RecordPage> {
  const order = orderOf(model);
  const times = access.harvestTimes(viewer.sight);
  const wanted = { from, until, collections: set === undefined ? null : sets.below(set) };
  const at = position === undefined ? START : { stamp: position.stamp, nid: position.nid };
  const part = { direction: 'forwards', at, limit: limit + 1 } as const;
  const [rows, size] = await Promise.all([
    order.rows(database, times, part, wanted),
    position === undefined ? order.count(database, times, wanted) : undefined,
  ]);
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit, size };
}

/** Finds the record of a node. */
export function findRecord(
  { database, model, viewer, access }: RecordServices,
  id: number,
): Promise<HarvestedRow | undefined> {
  return orderOf(model).one(database, access.harvestTimes(viewer.sight), id);
}

/** Returns a time before which there is no record, or undefined without one. */
export async function findEarliest({ database }: Pick<RecordServices, 'database'>): Promise<number | undefined> {
  return (await database.get(earliest()))?.stamp ?? undefined;
}
