import { type SQL, sql } from 'drizzle-orm';
import { madeOnce } from '../../base/made-once.ts';
import type { Database } from '../../database/database.ts';
import { nodes } from '../../database/schema/content.ts';
import { nodeRecords } from '../../database/schema/search.ts';
import { literal } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { ContentModel } from '../../model/content-model.ts';
import type { Sets } from './find-sets.ts';
import type { Selection } from './parse-request.ts';
import type { Position } from './resumption-token.ts';

/** A record that harvesters see: of a published node, or of a node that was published. */
export interface HarvestedRow {
  readonly nid: number;
  readonly stamp: number;
  readonly status: boolean;
  /** A JSON list of the nodes that it is a member of. */
  readonly collections: string;
  /** The size of its document; 0 for a deleted node. */
  readonly bytes: number;
}

type PageValues = {
  readonly from: number;
  readonly until: number;
  /** A JSON list of collections. Null for all records. */
  readonly sets: string | null;
  readonly stamp: number;
  readonly nid: number;
  readonly limit: number;
};

const { nid, harvestStamp, status, collections, bundle } = nodeRecords;
const COLUMNS = {
  nid,
  stamp: sql<number>`stamp`,
  status,
  collections,
  bytes: sql<number>`bytes`,
};
const ROW = sql`${nid}, ${harvestStamp}, ${status}, ${collections},
  coalesce((SELECT octet_length(${nodes.document}) FROM ${nodes} WHERE ${nodes.id} = ${nid}), 0)`;

/** Without it the database would choose an index of node types, and sort all records for each page. */
const IN_ORDER = sql`${nodeRecords} INDEXED BY node_record_harvest`;

const queriesOf = madeOnce(({ harvest }: ContentModel) => {
  const types = [...harvest.nodeTypes].map(literal);
  // The condition of the index (`node_record_harvest`).
  const isHarvested = sql`${harvestStamp} IS NOT NULL AND ${bundle} IN (${sql.join(types, sql`, `)})`;
  const selected = ({ from, until, sets }: Pick<Named<PageValues>, 'from' | 'until' | 'sets'>): SQL =>
    sql`${isHarvested} AND ${harvestStamp} BETWEEN ${from} AND ${until} AND (${sets} IS NULL OR EXISTS (
      SELECT 1 FROM json_each(${collections}) own JOIN json_each(${sets}) wanted ON wanted.value = own.value))`;
  return {
    page: prepare((values: Named<PageValues>) =>
      plain(
        sql`SELECT ${ROW} FROM ${IN_ORDER} WHERE ${selected(values)}
          AND (${harvestStamp}, ${nid}) > (${values.stamp}, ${values.nid})
          ORDER BY ${harvestStamp}, ${nid} LIMIT ${values.limit}`,
        COLUMNS,
      ),
    ),
    count: prepare((values: Named<Pick<PageValues, 'from' | 'until' | 'sets'>>) =>
      plain(sql`SELECT count(*) FROM ${IN_ORDER} WHERE ${selected(values)}`, { size: sql<number>`size` }),
    ),
    one: prepare(({ id }: Named<{ id: number }>) =>
      plain(sql`SELECT ${ROW} FROM ${nodeRecords} WHERE ${nid} = ${id} AND ${isHarvested}`, COLUMNS),
    ),
    earliest: prepare(() =>
      plain(sql`SELECT min(${harvestStamp}) FROM ${nodeRecords} WHERE ${harvestStamp} IS NOT NULL`, {
        stamp: sql<number | null>`stamp`,
      }),
    ),
  };
});

/** Before the first record. */
const START: Pick<Position, 'stamp' | 'nid'> = { stamp: -1, nid: 0 };

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
  { database, model }: { readonly database: Database; readonly model: ContentModel },
  { from = 0, until = Number.MAX_SAFE_INTEGER, set }: Selection,
  sets: Sets,
  position: Position | undefined,
  limit: number,
): Promise<RecordPage> {
  const { page, count } = queriesOf(model);
  const selected = { from, until, sets: set === undefined ? null : sets.below(set) };
  const { stamp, nid: last } = position ?? START;
  const rows = page({ ...selected, stamp, nid: last, limit: limit + 1 });
  const result =
    position === undefined
      ? await database.read({ rows, counted: count(selected) })
      : { rows: await database.all(rows), counted: [] };
  return { rows: result.rows.slice(0, limit), hasMore: result.rows.length > limit, size: result.counted[0]?.size };
}

/** Finds the record of a node. */
export function findRecord(
  { database, model }: { readonly database: Database; readonly model: ContentModel },
  id: number,
): Promise<HarvestedRow | undefined> {
  return database.get(queriesOf(model).one({ id }));
}

/** Returns the time of the earliest record, or undefined without one. */
export async function findEarliest({
  database,
  model,
}: {
  readonly database: Database;
  readonly model: ContentModel;
}): Promise<number | undefined> {
  return (await database.get(queriesOf(model).earliest()))?.stamp ?? undefined;
}
