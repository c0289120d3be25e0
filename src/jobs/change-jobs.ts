import { ServiceError } from '../base/errors.ts';
import { cancelJobs, findJob, retryJobs } from './find-jobs.ts';
import type { JobState } from './job.ts';
import type { JobServices } from './job-planner.ts';

type Refusals = Readonly<Partial<Record<JobState, string>>>;

const NO_RETRY: Refusals = {
  running: 'is running: only a job that no process works on can be tried again.',
  done: 'is done and cannot be tried again. A change of the source queues a new job.',
  cancelled: 'is cancelled and cannot be tried again. A scan queues missing derivatives.',
};
const NO_CANCEL: Refusals = {
  done: 'is done and cannot be cancelled.',
  cancelled: 'is cancelled already.',
};

/** Queues a job to run at once, with all its attempts. Returns false if it does not exist. Throws `conflict` if it cannot run. */
export async function retryJob(services: JobServices, id: number): Promise<boolean> {
  const isThere = await change(services, id, retryJobs, NO_RETRY);
  if (isThere) services.derivatives.wake();
  return isThere;
}

/** Queues every failed job, or those of one action, in the same way. Returns their number. */
export async function retryFailedJobs({ database, derivatives }: JobServices, action?: string): Promise<number> {
  const count = await retryJobs(database, { failedOf: action });
  if (count > 0) derivatives.wake();
  return count;
}

/**
 * Ends a job; a derivative that is being made for it is not stored. Returns false if the job does not exist. Throws
 * `conflict` if it has ended.
 */
export function cancelJob(services: JobServices, id: number): Promise<boolean> {
  return change(services, id, cancelJobs, NO_CANCEL);
}

async function change(
  { database }: JobServices,
  id: number,
  act: typeof cancelJobs,
  refusals: Refusals,
): Promise<boolean> {
  if ((await act(database, [id])) > 0) return true;
  const job = await findJob(database, id);
  if (job === undefined) return false;
  const why = refusals[job.state] ?? 'was changed at the same moment. Try again.';
  throw new ServiceError('conflict', `Job ${id} ${why}`);
}
