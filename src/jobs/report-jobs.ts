import { absoluteEvent, type DerivativeEvent } from './derivative-event.ts';
import { countJobs, findJob, type Job, type JobFilter, listJobs } from './find-jobs.ts';
import { JOB_STATES, type JobState } from './job.ts';
import type { JobServices } from './job-planner.ts';

/** A job as it is reported to administrators. */
export type ReportedJob = Omit<Job, 'event'>;

/** A job with its event. */
export interface ReportedJobInFull extends ReportedJob {
  /** Its addresses are absolute; null once the job has ended. */
  readonly event: DerivativeEvent | null;
}

export type ReportFilter = JobFilter;
export type ReportedState = JobState;
/** The states in the order of a job's life. */
export const REPORTED_STATES: readonly ReportedState[] = JOB_STATES;

/** The state of the queue. */
export interface JobReport {
  /** The numbers of all jobs, independent of the filter. */
  readonly counts: Readonly<Record<ReportedState, number>>;
  /** The newest first. */
  readonly jobs: readonly ReportedJob[];
}

/** Reads the numbers of jobs, and one page of the filtered jobs. */
export async function reportJobs(
  { database }: JobServices,
  filter: ReportFilter,
  page: { limit: number; offset: number },
): Promise<JobReport> {
  const [counted, jobs] = await Promise.all([countJobs(database), listJobs(database, filter, page)]);
  const counts = REPORTED_STATES.map((state) => [state, counted.get(state) ?? 0]);
  return { counts: Object.fromEntries(counts) as Record<ReportedState, number>, jobs };
}

/** Reads one job, or undefined. `baseUrl` has no slash at its end. */
export async function reportJob(
  { database }: JobServices,
  id: number,
  baseUrl: string,
): Promise<ReportedJobInFull | undefined> {
  const job = await findJob(database, id);
  return job && { ...job, event: job.event === null ? null : absoluteEvent(job.event, baseUrl) };
}

/** Returns whether the rules, or a job from the time of earlier rules, name an action. */
export async function isActionKnown({ database, derivatives }: JobServices, action: string): Promise<boolean> {
  if (derivatives.rules.actions.has(action)) return true;
  return (await listJobs(database, { action }, { limit: 1, offset: 0 })).length > 0;
}
