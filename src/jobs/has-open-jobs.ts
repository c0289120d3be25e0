import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { query } from '../database/query-builder.ts';
import { derivativeJobs as jobs } from '../database/schema/derivatives.ts';
import { isText } from '../database/sql.ts';
import { type Named, prepare } from '../database/statement.ts';

const openJob = prepare(({ nodeId }: Named<{ nodeId: number }>) =>
  query
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.nodeId, nodeId), isNull(jobs.endedAt), isText(jobs.state, 'queued')))
    .limit(1),
);

/** Returns whether derivatives of a node are queued or running. */
export async function hasOpenJobs(database: Database, nodeId: number): Promise<boolean> {
  return (await database.get(openJob({ nodeId }))) !== undefined;
}
