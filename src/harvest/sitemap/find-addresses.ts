import { sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { nodeAccess } from '../../database/schema/access.ts';
import { nodes } from '../../database/schema/content.ts';
import { nodeRecords } from '../../database/schema/search.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { etagOf } from '../../http/etag.ts';
import { END, HarvestOrder, type HarvestRow } from '../../repository/access/harvest-order.ts';
import { accessTimeOf, hiddenFromHarvest } from '../../repository/access/harvest-statements.ts';
import type { HarvestTimes } from '../../repository/access/harvest-times.ts';

/** The number of node ids of a part: at most as many addresses (sitemaps.org, "Sitemap index"). */
export const PART_IDS = 50_000;
/** Nodes per query. Other requests proceed in between. */
const BATCH = 2_000;

/** The state of what harvesters see. */
export interface HarvestState {
  /** Differs after each change of a node, and of a rule. */
  readonly version: string;
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
const noRules = () => ({ stamp: sql<number>`coalesce(${harvestStamp}, ${changed})`, isListed: sql`${status} = 1` });
/** `times` as in `HarvestTimes`. */
const byRules = (times: Named<{ times: Uint8Array }>) => ({
  stamp: sql<number>`max(coalesce(${harvestStamp}, ${changed}), ${accessTimeOf(nid, times)})`,
  isListed: sql`${status} = 1 AND NOT ${hiddenFromHarvest(nid, times)}`,
});
type Listed = typeof noRules | typeof byRules;

const state = prepare(() =>
  plain(
    sql`SELECT (SELECT coalesce(max(${sequence}), 0) FROM ${nodeRecords}),
      (SELECT coalesce(max(${nodeAccess.sequence}), 0) FROM ${nodeAccess}),
      (SELECT coalesce(max(${nid}), 0) FROM ${nodeRecords})`,
    { sequence: sql<number>`sequence`, rules: sql<number>`rules`, lastId: sql<number>`last_id` },
  ),
);
const changes = new HarvestOrder<HarvestRow>({ columns: {}, where: () => sql`TRUE` });

type Values = { times: Uint8Array; after: number; end: number; limit: number };
const queriesOf = (listed: Listed) => ({
  lastChange: prepare((values: Named<Omit<Values, 'limit'>>) => {
    const { stamp, isListed } = listed(values);
    return plain(
      sql`SELECT max(stamp) FROM (SELECT ${stamp} AS stamp FROM ${nodeRecords}
        WHERE ${nid} > ${values.after} AND ${nid} <= ${values.end} AND ${isListed})`,
      { stamp: sql<number | null>`stamp` },
    );
  }),
  published: prepare((values: Named<Values>) => {
    const { stamp, isListed } = listed(values);
    return plain(
      sql`SELECT ${nid}, ${stamp}, ${nodes.alias} FROM ${nodeRecords} LEFT JOIN ${nodes} ON ${nodes.id} = ${nid}
        WHERE ${nid} > ${values.after} AND ${nid} <= ${values.end} AND ${isListed} ORDER BY ${nid} LIMIT ${values.limit}`,
      { nid, stamp, alias: nodes.alias },
    );
  }),
});
const [withoutRules, withRules] = [queriesOf(noRules), queriesOf(byRules)];
const NO_TIMES = new Uint8Array();

/** The nodes that harvesters see. */
export interface SitemapNodes {
  readonly database: Database;
  /** Undefined if no rule applies to harvesters. */
  readonly times: HarvestTimes | undefined;
}

export async function findState({ database, times }: SitemapNodes): Promise<HarvestState> {
  const [row, [last]] = await Promise.all([
    database.get(state()),
    changes.rows(database, times, { direction: 'backwards', at: END, limit: 1 }),
  ]);
  const rules = times === undefined ? [] : [row?.rules, etagOf(times.times)];
  return { version: [row?.sequence ?? 0, ...rules].join(), stamp: last?.stamp, lastId: row?.lastId ?? 0 };
}

/** Returns the time of the last change of the published nodes of a part; undefined without one. `part` counts from 0. */
export async function findLastChange({ database, times }: SitemapNodes, part: number): Promise<number | undefined> {
  const { lastChange } = times === undefined ? withoutRules : withRules;
  const ids = { after: part * PART_IDS, end: (part + 1) * PART_IDS };
  const row = await database.get(lastChange({ ...ids, times: times?.times ?? NO_TIMES }));
  return row?.stamp ?? undefined;
}

/** Yields the published nodes of a part by id, batch by batch. */
export async function* findPublished(
  { database, times }: SitemapNodes,
  part: number,
): AsyncGenerator<readonly ListedNode[]> {
  const { published } = times === undefined ? withoutRules : withRules;
  const end = (part + 1) * PART_IDS;
  for (let after = part * PART_IDS; ; ) {
    const batch = await database.all(published({ after, end, limit: BATCH, times: times?.times ?? NO_TIMES }));
    if (batch.length > 0) yield batch;
    const last = batch.at(-1);
    if (last === undefined || batch.length < BATCH) return;
    after = last.nid;
  }
}
