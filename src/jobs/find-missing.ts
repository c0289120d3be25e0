import { sql } from 'drizzle-orm';
import { derivativeJobs, derivativeScanCounts } from '../database/schema/derivatives.ts';
import { files } from '../database/schema/files.ts';
import { references } from '../database/schema/references.ts';
import { type Named, plain, prepare } from '../database/statement.ts';
import { matching } from '../repository/media/attach-file.ts';
import { hasPredecessor } from './add-jobs.ts';
import type { RequiredDerivative } from './find-required.ts';
import type { JobState } from './job.ts';
import type { JobServices } from './job-planner.ts';
import type { ScannedSource } from './scan-batch.ts';

/** A derivative that the rules require, with its source. */
export interface DerivativeCandidate {
  readonly wanted: RequiredDerivative;
  readonly media: ScannedSource;
}

/** A derivative that is missing or older than its source, with the state of its job. */
export interface MissingDerivative extends DerivativeCandidate {
  readonly job: 'none' | 'open' | 'failed';
}

/**
 * Finds missing or outdated derivatives, with the states of their jobs. Finds a derivative in the same way as a PUT does.
 * Excludes a derivative of several media that was counted with one of them.
 */
const requiredJobs = prepare(({ list, scope }: Named<{ list: string; scope: string }>) => {
  const [job, source, file, counted] = [derivativeJobs, references, files, derivativeScanCounts];
  const [node, term] = [sql`item.value ->> 0`, sql`item.value ->> 6`];
  return plain(
    sql`WITH wanted AS MATERIALIZED (
        SELECT item.key AS place, ${node} AS node_id, item.value ->> 1 AS action, item.value ->> 2 AS changed,
          item.value ->> 3 AS source_field,
          (SELECT min(id) FROM (${matching(node, sql`item.value ->> 4`, sql`item.value ->> 5`)})) AS derivative
        FROM json_each(${list}) item
        WHERE ${term} IS NULL OR NOT ${hasPredecessor(node, term, sql`item.value ->> 7`)})
      SELECT wanted.place, (SELECT ${job.state} FROM ${job}
        WHERE ${job.nodeId} = wanted.node_id AND ${job.action} = wanted.action AND ${job.endedAt} IS NULL)
      FROM wanted WHERE ifnull((SELECT ${file.changed} FROM ${source} CROSS JOIN ${file} ON ${file.id} = ${source.targetId}
          WHERE ${source.sourceType} = 'media' AND ${source.sourceId} = wanted.derivative
            AND ${source.field} = wanted.source_field AND ${source.targetType} = 'file'
          ORDER BY ${source.delta} LIMIT 1) < wanted.changed, 1)
        AND NOT EXISTS (SELECT 1 FROM ${counted}
          WHERE ${counted.scope} = ${scope} AND ${counted.nodeId} = wanted.node_id AND ${counted.action} = wanted.action)
      ORDER BY wanted.place`,
    { place: sql<number>`place`, state: sql<JobState | null>`state` },
  );
});

/** Returns the missing or outdated derivatives, each once. `scope` is that of the scan. */
export async function findMissing(
  { database, model }: JobServices,
  considered: readonly DerivativeCandidate[],
  scope: string,
): Promise<MissingDerivative[]> {
  if (considered.length === 0) return [];
  const rows = considered.map(({ wanted: { action, node, derivativeTerm, source }, media }) => [
    ...[node.id, action.name, media.changed, model.mediaTypes.get(action.mediaType)?.sourceField.name ?? null],
    ...[derivativeTerm.id, action.mediaType, source.termId ?? null, media.mediaId],
  ]);
  const states = await database.all(requiredJobs({ list: JSON.stringify(rows), scope }));
  const missing = new Map<string, MissingDerivative>();
  for (const { place, state } of states) {
    const each = considered[place] as DerivativeCandidate;
    const key = keyOf(each);
    if (!missing.has(key)) missing.set(key, { ...each, job: standingOf(state) });
  }
  return [...missing.values()];
}

/** Returns the key of a derivative, which is the same for each of its source media. */
export function keyOf({ wanted: { action, node } }: DerivativeCandidate): string {
  return `${node.id} ${action.name}`;
}

function standingOf(state: JobState | null): MissingDerivative['job'] {
  if (state === null) return 'none';
  return state === 'failed' ? 'failed' : 'open';
}
