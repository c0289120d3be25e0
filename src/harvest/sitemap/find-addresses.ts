import { sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { nodes } from '../../database/schema/content.ts';
import { nodeRecords } from '../../database/schema/search.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';

/** The number of node ids of a part: at most as many addresses (sitemaps.org, "Sitemap index"). */
export const PART_IDS = 50_000;
/** Nodes per query. Other requests proceed in between. */
const BATCH = 2_000;

/** The state of what harvesters see. */
export interface HarvestState {
  /** Grows with each change of a node. */
  readonly sequence: number;
  /** The time of the last change that harvesters see, in seconds since 1970. Undefined before the first one. */
  readonly stamp: number | undefined;
  /** The last node. */
  readonly lastId: number;
}

/** A published node. */
export interface ListedNode {
  readonly nid: number;
  readonly stamp: number;
  readonly alias: string | null;
}

const { nid, harvestStamp, changed, status, sequence } = nodeRecords;
const stamp = sql<number>`coalesce(${harvestStamp}, ${changed})`;

const state = prepare(() =>
  plain(
    sql`SELECT (SELECT coalesce(max(${sequence}), 0) FROM ${nodeRecords}),
      (SELECT max(${harvestStamp}) FROM ${nodeRecords} WHERE ${harvestStamp} IS NOT NULL),
      (SELECT coalesce(max(${nid}), 0) FROM ${nodeRecords})`,
    { sequence: sql<number>`sequence`, stamp: sql<number | null>`stamp`, lastId: sql<number>`last_id` },
  ),
);
const lastChange = prepare(({ after, end }: Named<{ after: number; end: number }>) =>
  plain(sql`SELECT max(${stamp}) FROM ${nodeRecords} WHERE ${nid} > ${after} AND ${nid} <= ${end} AND ${status} = 1`, {
    stamp: sql<number | null>`stamp`,
  }),
);
const published = prepare(({ after, end, limit }: Named<{ after: number; end: number; limit: number }>) =>
  plain(
    sql`SELECT ${nid}, ${stamp}, ${nodes.alias} FROM ${nodeRecords} LEFT JOIN ${nodes} ON ${nodes.id} = ${nid}
      WHERE ${nid} > ${after} AND ${nid} <= ${end} AND ${status} = 1 ORDER BY ${nid} LIMIT ${limit}`,
    { nid, stamp, alias: nodes.alias },
  ),
);

export async function findState(database: Database): Promise<HarvestState> {
  const row = await database.get(state());
  return { sequence: row?.sequence ?? 0, stamp: row?.stamp ?? undefined, lastId: row?.lastId ?? 0 };
}

/** Returns the time of the last change of the published nodes of a part; undefined without one. `part` counts from 0. */
export async function findLastChange(database: Database, part: number): Promise<number | undefined> {
  const row = await database.get(lastChange({ after: part * PART_IDS, end: (part + 1) * PART_IDS }));
  return row?.stamp ?? undefined;
}

/** Yields the published nodes of a part by id, batch by batch. */
export async function* findPublished(database: Database, part: number): AsyncGenerator<readonly ListedNode[]> {
  const end = (part + 1) * PART_IDS;
  for (let after = part * PART_IDS; ; ) {
    const batch = await database.all(published({ after, end, limit: BATCH }));
    if (batch.length > 0) yield batch;
    const last = batch.at(-1);
    if (last === undefined || batch.length < BATCH) return;
    after = last.nid;
  }
}
