import type { Work } from '../runs/keep-working.ts';
import { createRunTask } from '../runs/run-task.ts';
import type { Waker } from '../runs/waker.ts';
import { bulkRuns } from './bulk-action.ts';
import type { BulkParts } from './bulk-parts.ts';
import { workOnRun } from './work-on-run.ts';

const LOOK_MS = 15_000;

/** The work on bulk changes. */
export function createBulkTask(parts: BulkParts & { readonly bulk: Waker }): Work {
  return createRunTask(parts.services.database, bulkRuns, {
    failure: 'bulk changes cannot continue at present',
    lookMs: LOOK_MS,
    waker: parts.bulk,
    work: (run, signal) => workOnRun(parts, run, signal),
  });
}
