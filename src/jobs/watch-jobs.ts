import { type Job, listJobs } from './find-jobs.ts';
import type { JobServices } from './job-planner.ts';

/**
 * The time between two looks at the database, in milliseconds: other processes work on the jobs too. A look at a local
 * database without a change costs no query.
 */
const LOOK_MS = 1_000;
const SHARED_LOOK_MS = 3_000;
/** Maximum number of watched jobs of a node, the newest. */
const MAX_JOBS = 200;

/** The jobs that have changed since the last look. */
interface JobChanges {
  readonly changed: readonly Job[];
  /** True while a job is waiting or running. */
  readonly isBusy: boolean;
}

/**
 * Yields the newest jobs of a node, then those that change, until the signal aborts. Yields without a job at looks that find
 * none, so that the receiver can tell that the connection lives.
 */
export async function* watchJobs(
  { database }: JobServices,
  nodeId: number,
  signal: AbortSignal,
): AsyncGenerator<JobChanges, void, void> {
  const known = new Map<number, string>();
  let stamp: number | undefined;
  let isBusy = false;
  while (!signal.aborted) {
    database.refresh();
    const now = database.stamp();
    let changed: Job[] = [];
    if (now === undefined || now !== stamp) {
      stamp = now;
      const jobs = await listJobs(database, { nodeId }, { limit: MAX_JOBS, offset: 0 });
      changed = jobs.filter((job) => known.get(job.id) !== stateOf(job));
      for (const job of jobs) known.set(job.id, stateOf(job));
      isBusy = jobs.some(({ endedAt, state }) => endedAt === null && state !== 'failed');
    }
    yield { changed, isBusy };
    await pause(database.isShared ? SHARED_LOOK_MS : LOOK_MS, signal);
  }
}

function stateOf({ state, attempts, message }: Job): string {
  return `${state} ${attempts} ${message ?? ''}`;
}

/** Waits, at most until the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
