import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { nodeAccess } from '../../database/schema/access.ts';
import { nodeRecords } from '../../database/schema/search.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { TIME_BYTES, TIME_DIGITS } from './harvest-times.ts';

/** The values that statements bind. */
export interface HarvestValues {
  /** As in `HarvestTimes`. */
  readonly times: Uint8Array;
  readonly from: number;
  readonly until: number;
  /** The place from which the list continues. */
  readonly stamp: number;
  readonly nid: number;
  readonly limit: number;
  /** A JSON list of collections, of which the nodes must be direct members. Null for all nodes. */
  readonly collections: string | null;
}

/** A list of nodes: its columns and its condition. */
export interface HarvestList {
  readonly columns: Readonly<Record<string, SQL>>;
  /** `isHidden` is the condition that rules hide the node. */
  readonly where: (isHidden: SQL) => SQL;
}

export type Direction = 'forwards' | 'backwards';

const { nid, harvestStamp, status, created, collections } = nodeRecords;
const own = alias(nodeAccess, 'na');
type All<Others = unknown> = Named<HarvestValues & Others>;
type Times = Pick<Named<HarvestValues>, 'times'>;

/** Without it the database would choose another index, and sort all nodes for each part. */
const IN_ORDER = sql`${nodeRecords} INDEXED BY node_record_harvest`;
const [bytes, digits] = [sql.raw(String(TIME_BYTES)), sql.raw(String(TIME_DIGITS))];

/** The time of the last change of a row's set; 0 for a set that another process has just added. */
const timeOf = ({ times }: Times) => sql`CAST(substr(${times}, ${own.setId} * ${bytes} + 1, ${digits}) AS INTEGER)`;
/** Such a set counts as closed. */
const isClosed = ({ times }: Times) => sql`substr(${times}, (${own.setId} + 1) * ${bytes}, 1) <> x'30'`;

/** Returns the condition that rules hide a node from harvesters. */
export function hiddenFromHarvest(id: SQLWrapper, times: Times): SQL {
  return sql`EXISTS (SELECT 1 FROM ${nodeAccess} ${own} WHERE ${own.nid} = ${id} AND ${isClosed(times)})`;
}

/** Returns the time of the last change of what rules close of a node; 0 without any. */
export function accessTimeOf(id: SQLWrapper, times: Times): SQL<number> {
  return sql`coalesce((SELECT max(${own.changed}, ${timeOf(times)}) FROM ${nodeAccess} ${own}
    WHERE ${own.nid} = ${id}), 0)`;
}

const isOfNode = (id: SQLWrapper) => sql`${nid} = ${id} AND ${harvestStamp} IS NOT NULL`;
const isSeen = (times: Times) => sql`${status} = 1 AND NOT (${isClosed(times)})`;
const [listedSet, listedTime] = [sql`(listed.value ->> 0)`, sql`(listed.value ->> 1)`];

/** Prepares the statements of a list. Their rows have the columns of the list, and `nid`, `stamp`, `isVisible`. */
export function harvestStatements({ columns, where: isListed }: HarvestList) {
  const where = ({ collections: wanted }: Pick<All, 'collections'>, isHidden: SQL) =>
    sql`${isListed(isHidden)} AND (${wanted} IS NULL OR EXISTS (SELECT 1 FROM json_each(${collections}) own
      JOIN json_each(${wanted}) wanted ON wanted.value = own.value))`;
  const names = ['nid', 'stamp', ...Object.keys(columns)];
  const fields = { ...Object.fromEntries(names.map((name) => [name, sql.raw(name)])), isVisible: status };
  const row = (stamp: SQLWrapper, isVisible: SQL) =>
    sql.join([sql`${nid}`, stamp, ...Object.values(columns), isVisible], sql`, `);

  /** Nodes whose last change is one of their own. */
  const ofNodes = (values: All) => sql`FROM ${IN_ORDER} WHERE ${harvestStamp} IS NOT NULL
    AND ${harvestStamp} BETWEEN ${values.from} AND ${values.until} AND ${where(values, sql`FALSE`)}`;
  const isLatest = (values: All) => sql`NOT EXISTS (SELECT 1 FROM ${nodeAccess} ${own} WHERE ${own.nid} = ${nid}
    AND (${own.changed} > ${harvestStamp} OR ${timeOf(values)} > ${harvestStamp} OR ${isClosed(values)}))`;
  /** A node that rules have hidden since it was added is in no list. */
  const isLater = (stamp: SQLWrapper, values: All) => sql`${stamp} > CASE WHEN ${isClosed(values)} THEN ${created}
    ELSE ${harvestStamp} END AND ${where(values, isClosed(values))}`;
  /** Nodes whose last change is that of their own row of rules. */
  const ofRows = (values: All) => sql`FROM ${nodeAccess} ${own} INDEXED BY node_access_changed
    CROSS JOIN ${nodeRecords} ON ${isOfNode(own.nid)}
    WHERE ${own.changed} BETWEEN ${values.from} AND ${values.until} AND ${timeOf(values)} < ${own.changed}
      AND ${isLater(own.changed, values)}`;
  /** Nodes whose last change is one of the rules of their set: of listed sets, with their times. */
  const ofSets = (values: All<{ readonly sets: string }>) => sql`FROM json_each(${values.sets}) listed
    CROSS JOIN ${nodeAccess} ${own} INDEXED BY node_access_set ON ${own.setId} = ${listedSet}
    CROSS JOIN ${nodeRecords} ON ${isOfNode(own.nid)}
    WHERE ${own.changed} <= ${listedTime} AND ${isLater(listedTime, values)}`;

  const inDirection = (direction: Direction) => {
    const isNext = (stamp: SQLWrapper, id: SQLWrapper, values: All) =>
      sql`(${stamp}, ${id}) ${direction === 'forwards' ? sql`>` : sql`<=`} (${values.stamp}, ${values.nid})`;
    const way = direction === 'forwards' ? sql`` : sql` DESC`;
    const inOrder = (stamp: SQLWrapper, id: SQLWrapper, { limit }: All) =>
      sql`ORDER BY ${stamp}${way}, ${id}${way} LIMIT ${limit}`;
    const ofNodesIf = (condition: (values: All) => SQL) =>
      prepare((values: All) =>
        plain(
          sql`SELECT ${row(harvestStamp, sql`${status} = 1`)} ${ofNodes(values)} AND ${condition(values)}
            AND ${isNext(harvestStamp, nid, values)} ${inOrder(harvestStamp, nid, values)}`,
          fields,
        ),
      );
    return {
      /** Where no rule restricts anything. */
      all: ofNodesIf(() => sql`TRUE`),
      ofNodes: ofNodesIf(isLatest),
      ofRows: prepare((values: All) =>
        plain(
          sql`SELECT ${row(own.changed, isSeen(values))} ${ofRows(values)}
            AND ${isNext(own.changed, own.nid, values)} ${inOrder(own.changed, own.nid, values)}`,
          fields,
        ),
      ),
      ofSets: prepare((values: All<{ readonly sets: string }>) =>
        plain(
          sql`SELECT ${row(listedTime, isSeen(values))} ${ofSets(values)}
            AND ${isNext(listedTime, own.nid, values)} ${inOrder(listedTime, own.nid, values)}`,
          fields,
        ),
      ),
      /** The same of one set, whose nodes are in the order of the index. */
      ofSet: prepare((values: All<{ readonly setId: number; readonly time: number }>) =>
        plain(
          sql`SELECT ${row(values.time, isSeen(values))} FROM ${nodeAccess} ${own} INDEXED BY node_access_set
            CROSS JOIN ${nodeRecords} ON ${isOfNode(own.nid)}
            WHERE ${own.setId} = ${values.setId} AND ${own.changed} <= ${values.time} AND ${isLater(values.time, values)}
              AND ${own.nid} ${direction === 'forwards' ? sql`>` : sql`<=`} ${values.nid}
            ORDER BY ${own.nid}${way} LIMIT ${values.limit}`,
          fields,
        ),
      ),
    };
  };

  const size = { size: sql<number>`size` };
  return {
    forwards: inDirection('forwards'),
    backwards: inDirection('backwards'),
    // One statement each: the parser of the database has a limit of depth.
    counts: {
      all: prepare((values: All) => plain(sql`SELECT count(*) ${ofNodes(values)}`, size)),
      ofNodes: prepare((values: All) => plain(sql`SELECT count(*) ${ofNodes(values)} AND ${isLatest(values)}`, size)),
      ofRows: prepare((values: All) => plain(sql`SELECT count(*) ${ofRows(values)}`, size)),
      ofSets: prepare((values: All<{ readonly sets: string }>) => plain(sql`SELECT count(*) ${ofSets(values)}`, size)),
    },
    oneOfAll: prepare((values: Named<{ readonly id: number } & Pick<HarvestValues, 'collections'>>) =>
      plain(
        sql`SELECT ${row(harvestStamp, sql`${status} = 1`)} FROM ${nodeRecords}
          WHERE ${isOfNode(values.id)} AND ${where(values, sql`FALSE`)}`,
        fields,
      ),
    ),
    one: prepare((values: Named<{ readonly id: number } & Pick<HarvestValues, 'collections' | 'times'>>) => {
      const since = sql`coalesce(max(${own.changed}, ${timeOf(values)}), 0)`;
      const isHidden = sql`coalesce(${isClosed(values)}, FALSE)`;
      return plain(
        sql`SELECT ${row(sql`max(${since}, CASE WHEN ${isHidden} THEN 0 ELSE ${harvestStamp} END)`, sql`${status} = 1 AND NOT ${isHidden}`)}
          FROM ${nodeRecords} LEFT JOIN ${nodeAccess} ${own} ON ${own.nid} = ${nid}
          WHERE ${isOfNode(values.id)} AND (NOT ${isHidden} OR ${since} > ${created}) AND ${where(values, isHidden)}`,
        fields,
      );
    }),
  };
}
