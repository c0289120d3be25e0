import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../database/database.ts';
import { nodes } from '../../database/schema/content.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { nodeRecords } from '../../database/schema/search.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { isMediaOf, isMemberOf } from '../../repository/relations.ts';

/** The number of activities of a page. */
const PAGE_SIZE = 1_000;

/** The place of an activity in the list: by time, and then by node. */
export interface ActivityKey {
  /** In seconds since 1970. */
  readonly stamp: number;
  readonly nid: number;
}

/** The last change of a node that callers without credentials see. */
export interface ActivityRow extends ActivityKey {
  /** The number of writes of the node. Null for a deleted one. */
  readonly version: number | null;
  readonly isPublished: boolean;
  /** The URI of its model, which a deleted node had. Null for a node without one. */
  readonly model: string | null;
}

/** A page of activities. */
export interface ActivityPage {
  /** The oldest first. */
  readonly rows: readonly ActivityRow[];
  /** The last activity of the page before. Undefined for the first page. */
  readonly previous: ActivityKey | undefined;
  /** The last activity of the next page. Undefined for the last page. */
  readonly next: ActivityKey | undefined;
}

const { nid, harvestStamp, status } = nodeRecords;
const [part, kind] = [alias(references, 'p'), alias(references, 'k')];

/** A node may have a manifest if it has media or members. A removed node may have had them. */
const isListed = sql`${harvestStamp} IS NOT NULL AND (${status} = 0
  OR EXISTS (SELECT 1 FROM ${references} ${part} WHERE ${isMediaOf(part, nid)})
  OR EXISTS (SELECT 1 FROM ${references} ${part} WHERE ${isMemberOf(part, nid)}))`;
const model = sql`coalesce(${nodeRecords.removedModel}, (SELECT ${termUris.uri} FROM ${references} ${kind}
  CROSS JOIN ${termUris} ON ${termUris.termId} = ${kind.targetId} AND ${termUris.field} = 'field_external_uri'
    AND ${termUris.delta} = 0
  WHERE ${kind.sourceType} = 'node' AND ${kind.sourceId} = ${nid} AND ${kind.field} = 'field_model'
    AND ${kind.delta} = 0))`;

type Values = { stamp: number; nid: number; limit: number };
const until = ({ stamp, nid: last }: Named<Values>): SQL => sql`(${harvestStamp}, ${nid}) <= (${stamp}, ${last})`;

const before = prepare((values: Named<Values>) =>
  plain(
    sql`SELECT ${nid}, ${harvestStamp}, ${nodes.version}, ${status}, ${model} FROM ${nodeRecords}
      LEFT JOIN ${nodes} ON ${nodes.id} = ${nid}
      WHERE ${isListed} AND ${until(values)} ORDER BY ${harvestStamp} DESC, ${nid} DESC LIMIT ${values.limit}`,
    {
      nid,
      stamp: sql<number>`stamp`,
      version: sql<number | null>`version`,
      isPublished: status,
      model: sql<string | null>`model`,
    },
  ),
);
const after = prepare((values: Named<Values>) =>
  plain(
    sql`SELECT ${nid}, ${harvestStamp} FROM ${nodeRecords}
      WHERE ${isListed} AND (${harvestStamp}, ${nid}) > (${values.stamp}, ${values.nid})
      ORDER BY ${harvestStamp}, ${nid} LIMIT ${values.limit}`,
    { nid, stamp: sql<number>`stamp` },
  ),
);

const START: ActivityKey = { stamp: -1, nid: 0 };
const END: ActivityKey = { stamp: Number.MAX_SAFE_INTEGER, nid: 0 };

/**
 * Returns the page that ends with an activity. Pages are named by their end, so that a client which reads them from the last
 * to the first misses nothing that changes meanwhile: such a node moves behind the pages that it has read.
 */
export async function findActivityPage(database: Database, end: ActivityKey): Promise<ActivityPage> {
  const { rows, following } = await database.read({
    rows: before({ ...end, limit: PAGE_SIZE + 1 }),
    following: after({ ...end, limit: PAGE_SIZE }),
  });
  const previous = rows[PAGE_SIZE];
  return { rows: rows.slice(0, PAGE_SIZE).reverse(), previous: previous && keyOf(previous), next: following.at(-1) };
}

/** Returns the ends of the first and of the last page. Undefined without activities. */
export async function findActivityEnds(
  database: Database,
): Promise<{ readonly first: ActivityKey; readonly last: ActivityKey } | undefined> {
  const { oldest, newest } = await database.read({
    oldest: after({ ...START, limit: PAGE_SIZE }),
    newest: before({ ...END, limit: 1 }),
  });
  const [first, last] = [oldest.at(-1), newest[0]];
  return first && last && { first, last: keyOf(last) };
}

const keyOf = ({ stamp, nid: node }: ActivityKey): ActivityKey => ({ stamp, nid: node });
