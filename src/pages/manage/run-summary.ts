import { Type as t } from '@sinclair/typebox';
import type { BulkRun } from '../../bulk/find-runs.ts';
import type { BulkRunSummary } from './bulk-data.ts';

const count = (description: string) => t.Integer({ minimum: 0, description });

/** The progress of a run as JSON. */
export const BULK_PROGRESS = t.Object({
  state: t.String({ description: '`preparing`, `running`, `stopped` or `done`.' }),
  counts: t.Object({
    waiting: count('Items that are not done yet.'),
    done: count('Changed items.'),
    unchanged: count('Items that had the value before.'),
    skipped: count('Items that the user may not change, or that were deleted.'),
    failed: count('Items with an error.'),
  }),
  seconds_left: t.Optional(t.Number({ description: 'The estimated time until its end.' })),
});

/** The number of done items from which the remaining time is estimated. */
const MIN_DONE = 20;

/** Returns a run for its page. */
export function summaryOf(run: BulkRun): BulkRunSummary {
  const { id, type: kind, action, parameters, state, message, userName, createdAt, counts, undoneBy } = run;
  const total = Object.values(counts).reduce((sum, each) => sum + each, 0);
  const processed = total - counts.waiting;
  const isEstimated = state === 'running' && processed >= MIN_DONE;
  return {
    ...{ id, kind, action, state, message, userName, createdAt, counts, total, undoneBy },
    ...{ targetLabel: parameters.targetLabel, undoes: parameters.undoes, membersOf: parameters.membersOf },
    secondsLeft: isEstimated ? Math.ceil((run.worked / processed) * counts.waiting) : undefined,
  };
}
