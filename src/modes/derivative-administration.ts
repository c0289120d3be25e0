import { ServiceError } from '../base/errors.ts';
import { cancelJob, retryFailedJobs, retryJob } from '../repository/derivatives/change-jobs.ts';
import { isActionKnown, type ReportedState, reportJob, reportJobs } from '../repository/derivatives/report-jobs.ts';
import { unknownAction } from '../repository/derivatives/unknown-action.ts';
import type { Services } from '../repository/services.ts';
import {
  type JobInFullJson,
  type JobJson,
  type JobReportJson,
  jobInFullJson,
  jobReportJson,
} from '../representation/derivative-json.ts';
import { CommandError } from './command-error.ts';

export type { JobInFullJson, JobJson, JobReportJson };
export type JobState = ReportedState;

/** Which jobs of a list, and how many of them at most. */
export interface JobSelection {
  readonly state: JobState | undefined;
  readonly action: string | undefined;
  readonly node: number | undefined;
  readonly limit: number;
}

/** What a change of several jobs came to. */
export interface JobChanges {
  readonly changed: number;
  /** A sentence for each job that could not be changed. */
  readonly refused: readonly string[];
}

/** Derivatives that are made, from the machine that the repository is on; in the form in which HTTP answers them. */
export interface DerivativeAdministration {
  /** The newest first. Throws CommandError for an action that there is not. */
  list(selection: JobSelection): Promise<JobReportJson>;
  /** Throws CommandError for a job that there is not. */
  show(id: number): Promise<JobInFullJson>;
  retry(ids: readonly number[]): Promise<JobChanges>;
  retryFailed(): Promise<number>;
  cancel(ids: readonly number[]): Promise<JobChanges>;
}

/** Looks after the jobs of a repository; whoever works on them notices. `baseUrl` is for addresses in events. */
export function createDerivativeAdministration(services: Services, baseUrl: string): DerivativeAdministration {
  return {
    async list({ state, action, node, limit }) {
      if (action !== undefined && !(await isActionKnown(services, action)))
        throw new CommandError(unknownAction(services.derivatives.rules, action));
      return jobReportJson(await reportJobs(services, { state, action, nodeId: node }, { limit, offset: 0 }));
    },
    async show(id) {
      const job = await reportJob(services, id, baseUrl);
      if (job === undefined) throw new CommandError(noJob(id));
      return jobInFullJson(job);
    },
    retry: (ids) => changeAll(ids, (id) => retryJob(services, id)),
    retryFailed: () => retryFailedJobs(services),
    cancel: (ids) => changeAll(ids, (id) => cancelJob(services, id)),
  };
}

/** One after the other: what cannot be done to one does not keep it from the rest. */
async function changeAll(ids: readonly number[], change: (id: number) => Promise<boolean>): Promise<JobChanges> {
  const refused: string[] = [];
  let changed = 0;
  for (const id of new Set(ids)) {
    try {
      if (await change(id)) changed += 1;
      else refused.push(noJob(id));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'conflict') throw error;
      refused.push(error.publicMessage);
    }
  }
  return { changed, refused };
}

function noJob(id: number): string {
  return `There is no job ${id}; see them with: repo derivatives list`;
}
