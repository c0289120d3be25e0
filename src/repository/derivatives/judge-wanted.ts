import { hasPredecessor } from '../../derivatives/add-jobs.ts';
import { matching } from '../media/attach-file.ts';
import type { Services } from '../services.ts';
import type { WantedDerivative } from './find-wanted.ts';
import type { ScannedSource } from './scan-batch.ts';

/** A derivative that the rules ask for, and what it is to be made of. */
export interface Considered {
  readonly wanted: WantedDerivative;
  readonly media: ScannedSource;
}

/** One that is not there, or older than its source; and what has become of its job, if there is one. */
export interface Lacking extends Considered {
  readonly job: 'none' | 'open' | 'failed';
}

/**
 * Of each the derivative (a PUT finds it the same way), when its file changed, and the state of its job. What is made of
 * many media, and has been counted with one of them, is left out.
 */
const QUERY = `WITH w AS MATERIALIZED (
    SELECT j.key AS place, j.value ->> 0 AS node_id, j.value ->> 1 AS action, j.value ->> 2 AS changed,
      j.value ->> 3 AS source_field,
      (SELECT min(id) FROM (${matching('j.value ->> 0', 'j.value ->> 4', 'j.value ->> 5')})) AS derivative
    FROM json_each(?1) j
    WHERE j.value ->> 6 IS NULL OR NOT ${hasPredecessor('j.value ->> 0', 'j.value ->> 6', 'j.value ->> 7')})
  SELECT w.place, (SELECT d.state FROM derivative_job d
    WHERE d.node_id = w.node_id AND d.action = w.action AND d.ended_at IS NULL)
  FROM w WHERE ifnull((SELECT f.changed FROM reference s CROSS JOIN file f ON f.id = s.target_id
      WHERE s.source_type = 'media' AND s.source_id = w.derivative AND s.field = w.source_field
        AND s.target_type = 'file' ORDER BY s.delta LIMIT 1) < w.changed, 1)
    AND NOT EXISTS (SELECT 1 FROM derivative_scan_count c
      WHERE c.scope = ?2 AND c.node_id = w.node_id AND c.action = w.action)
  ORDER BY w.place`;

/** Which of these are missing or too old, each once. `scope` is that of the scan. */
export async function judgeWanted(
  { database, model }: Services,
  considered: readonly Considered[],
  scope: string,
): Promise<Lacking[]> {
  if (considered.length === 0) return [];
  const rows = considered.map(({ wanted: { action, node, derivativeTerm, source }, media }) => [
    ...[node.id, action.name, media.changed, model.mediaTypes.get(action.mediaType)?.sourceField.name ?? null],
    ...[derivativeTerm.id, action.mediaType, source.termId ?? null, media.mediaId],
  ]);
  const [result] = await database.read([{ sql: QUERY, args: [JSON.stringify(rows), scope] }]);
  const lacking = new Map<string, Lacking>();
  for (const row of result?.rows ?? []) {
    const each = considered[Number(row[0])] as Considered;
    const key = keyOf(each);
    if (!lacking.has(key)) lacking.set(key, { ...each, job: standingOf(row[1]) });
  }
  return [...lacking.values()];
}

/** What a derivative is one with, however many media it is wanted for. */
export function keyOf({ wanted: { action, node } }: Considered): string {
  return `${node.id} ${action.name}`;
}

function standingOf(state: unknown): Lacking['job'] {
  if (state === null) return 'none';
  return state === 'failed' ? 'failed' : 'open';
}
