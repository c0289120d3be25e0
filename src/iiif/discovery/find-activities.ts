import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../database/database.ts';
import { nodes } from '../../database/schema/content.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { nodeRecords } from '../../database/schema/search.ts';
import type { AccessState } from '../../repository/access/access-state.ts';
import { END, type HarvestKey, HarvestOrder, type HarvestRow, START } from '../../repository/access/harvest-order.ts';
import type { Actor } from '../../repository/actor.ts';
import { isMediaOf, isMemberOf } from '../../repository/relations.ts';

/** The number of activities of a page. */
const PAGE_SIZE = 1_000;

/** The last change of a node that callers without credentials see. */
export interface ActivityRow extends HarvestRow {
  /** The number of writes of the node. Null for a deleted one. */
  readonly version: number | null;
  /** The URI of its model, which a deleted node had. Null for a node without one. */
  readonly model: string | null;
}

/** A page of activities. */
export interface ActivityPage {
  /** The oldest first. */
  readonly rows: readonly ActivityRow[];
  /** The last activity of the page before. Undefined for the first page. */
  readonly previous: HarvestKey | undefined;
  /** The last activity of the next page. Undefined for the last page. */
  readonly next: HarvestKey | undefined;
}

const { nid, status } = nodeRecords;
const [part, kind] = [alias(references, 'p'), alias(references, 'k')];

const model = sql`coalesce(${nodeRecords.removedModel}, (SELECT ${termUris.uri} FROM ${references} ${kind}
  CROSS JOIN ${termUris} ON ${termUris.termId} = ${kind.targetId} AND ${termUris.field} = 'field_external_uri'
    AND ${termUris.delta} = 0
  WHERE ${kind.sourceType} = 'node' AND ${kind.sourceId} = ${nid} AND ${kind.field} = 'field_model'
    AND ${kind.delta} = 0))`;

const activities = new HarvestOrder<ActivityRow>({
  columns: {
    version: sql`(SELECT ${nodes.version} FROM ${nodes} WHERE ${nodes.id} = ${nid})`,
    model,
  },
  // A node may have a manifest if it has media or members. A removed or hidden node may have had them.
  where: (isHidden) => sql`(${status} = 0 OR ${isHidden}
    OR EXISTS (SELECT 1 FROM ${references} ${part} WHERE ${isMediaOf(part, nid)})
    OR EXISTS (SELECT 1 FROM ${references} ${part} WHERE ${isMemberOf(part, nid)}))`,
});

interface ActivityServices {
  readonly database: Database;
  readonly access: Pick<AccessState, 'harvestTimes'>;
  /** Harvesters. */
  readonly viewer: Pick<Actor, 'sight'>;
}

/**
 * Returns the page that ends with an activity. Pages are named by their end, so that a client which reads them from the last
 * to the first misses nothing that changes meanwhile: such a node moves behind the pages that it has read.
 */
export async function findActivityPage(
  { database, access, viewer }: ActivityServices,
  end: HarvestKey,
): Promise<ActivityPage> {
  const times = access.harvestTimes(viewer.sight);
  const [rows, following] = await Promise.all([
    activities.rows(database, times, { direction: 'backwards', at: end, limit: PAGE_SIZE + 1 }),
    activities.rows(database, times, { direction: 'forwards', at: end, limit: PAGE_SIZE }),
  ]);
  const [previous, next] = [rows[PAGE_SIZE], following.at(-1)];
  return {
    rows: rows.slice(0, PAGE_SIZE).reverse(),
    previous: previous && keyOf(previous),
    next: next && keyOf(next),
  };
}

/** Returns the ends of the first and of the last page. Undefined without activities. */
export async function findActivityEnds({
  database,
  access,
  viewer,
}: ActivityServices): Promise<{ readonly first: HarvestKey; readonly last: HarvestKey } | undefined> {
  const times = access.harvestTimes(viewer.sight);
  const [oldest, [last]] = await Promise.all([
    activities.rows(database, times, { direction: 'forwards', at: START, limit: PAGE_SIZE }),
    activities.rows(database, times, { direction: 'backwards', at: END, limit: 1 }),
  ]);
  const first = oldest.at(-1);
  return first && last && { first: keyOf(first), last: keyOf(last) };
}

const keyOf = ({ stamp, nid: node }: HarvestKey): HarvestKey => ({ stamp, nid: node });
