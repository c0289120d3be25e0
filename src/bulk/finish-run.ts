import { and, eq } from 'drizzle-orm';
import { runs } from '../database/schema/runs.ts';
import { giveTurn } from '../runs/run-task.ts';
import { IS_OPEN } from '../runs/runs.ts';
import { bulkRuns } from './bulk-action.ts';
import type { BulkParts } from './bulk-parts.ts';
import { type BulkRun, findRun } from './find-runs.ts';
import { workOnRun } from './work-on-run.ts';

/** The interval at which a command looks how far another process is, in milliseconds. */
const LOOK_MS = 500;

interface FinishWatch {
  readonly signal: AbortSignal;
  readonly onProgress: (run: BulkRun) => void;
}

/**
 * Works on a run until it has ended or the signal is aborted, in turns with the servers of the repository. Returns its
 * state then.
 */
export async function finishRun(parts: BulkParts, id: number, { signal, onProgress }: FinishWatch): Promise<BulkRun> {
  const { database } = parts.services;
  const isIt = and(IS_OPEN, eq(runs.id, id));
  for (;;) {
    const isDone = await giveTurn(database, bulkRuns, (run, ended) => workOnRun(parts, run, ended), signal, isIt);
    const run = await findRun(database, id);
    if (run === undefined) throw new Error(`the run ${id} does not exist`);
    onProgress(run);
    if (run.endedAt !== null || signal.aborted) return run;
    if (!isDone) await Bun.sleep(LOOK_MS);
  }
}
