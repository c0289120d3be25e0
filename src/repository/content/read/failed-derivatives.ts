import { and, desc, eq, sql } from 'drizzle-orm';
import type { Database } from '../../../database/database.ts';
import { query } from '../../../database/query-builder.ts';
import { nodes } from '../../../database/schema/content.ts';
import { derivativeJobs } from '../../../database/schema/derivatives.ts';
import { isText } from '../../../database/sql.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import { accessSetOf } from '../../access/set-columns.ts';
import { nodeAccess } from '../../access.ts';
import type { Actor } from '../../actor.ts';
import { isJobFor } from './awaited-media.ts';

/** Maximum number of failures that are listed for a node. */
const MAX_LISTED_FAILURES = 50;

/** A derivative that could not be made. */
interface FailedDerivative {
  readonly action: string;
  /** The reason in a sentence. */
  readonly message: string | null;
}

const jobs = derivativeJobs;

const failuresOf = prepare(({ nodeId }: Named<{ nodeId: number }>) =>
  query
    .select({ action: jobs.action, message: jobs.message })
    .from(jobs)
    .where(and(eq(jobs.nodeId, nodeId), isText(jobs.state, 'failed')))
    .orderBy(desc(jobs.id))
    .limit(MAX_LISTED_FAILURES),
);

/** Returns the derivatives of a node that failed, the newest first, for callers who may change the node. */
export function findFailedDerivatives(database: Database, nodeId: number): Promise<FailedDerivative[]> {
  return database.all(failuresOf({ nodeId }));
}

const THUMBNAIL_FAILURE = {
  id: nodes.id,
  bundle: nodes.bundle,
  ownerId: nodes.ownerId,
  status: nodes.status,
  accessSet: accessSetOf(nodes.id),
  message: jobs.message,
};

const failedThumbnails = prepare(({ ids }: Named<{ ids: string }>) =>
  plain(
    sql`SELECT ${sql.join(Object.values(THUMBNAIL_FAILURE), sql`, `)} FROM json_each(${ids}) list
      CROSS JOIN ${jobs} ON ${jobs.nodeId} = list.value AND ${jobs.endedAt} IS NULL
      CROSS JOIN ${nodes} ON ${nodes.id} = list.value
      WHERE ${jobs.message} IS NOT NULL AND ${isJobFor(jobs, 'failed', ['thumbnail'])}`,
    THUMBNAIL_FAILURE,
  ),
);

/** Returns the reasons of failed thumbnails by the ids of their nodes, for those that the actor may change. */
export async function findFailedThumbnails(
  database: Database,
  actor: Actor,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (!actor.isAuthenticated || ids.length === 0) return new Map();
  const rows = await database.all(failedThumbnails({ ids: JSON.stringify(ids) }));
  const own = rows.filter((node) => nodeAccess.update(actor, node).isAllowed);
  return new Map(own.map(({ id, message }) => [id, message ?? '']));
}
