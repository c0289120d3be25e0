import { ServiceError } from '../base/errors.ts';
import { cancelJobs, findJob, retryJobs } from './find-jobs.ts';
import type { JobState } from './job.ts';
import type { JobServices } from './job-planner.ts';

type Refusals = Readonly<Partial<Record<JobState, string>>>;

const NO_RETRY: Refusals = {
  running: 'is running: only what nobody works on can be tried again.',
  done: 'is done: there is nothing to try again. Its derivative is made anew when its source changes.',
  cancelled: 'is cancelled: it cannot be tried again. A scan queues what is missing.',
};
const NO_CANCEL: Refusals = {
  done: 'is done: there is nothing left to cancel.',
  cancelled: 'is cancelled already.',
};

/** Has a job tried at once, with all attempts before it. False if there is none; throws `conflict` for one that is past that. */
export async function retryJob(services: JobServices, id: number): Promise<boolean> {
  const isThere = await change(services, id, retryJobs, NO_RETRY);
  if (isThere) services.derivatives.wake();
  return isThere;
}

/** The same for every job that was given up. Answers how many there were. */
export async function retryFailedJobs({ database, derivatives }: JobServices): Promise<number> {
  const count = await retryJobs(database, 'all failed');
  if (count > 0) derivatives.wake();
  return count;
}

/**
 * Ends a job; what someone makes of it at this moment is not stored. False if there is none; throws `conflict` for one
 * that has ended.
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
  const why = refusals[job.state] ?? 'was changed by someone else at this moment. Try again.';
  throw new ServiceError('conflict', `Job ${id} ${why}`);
}
