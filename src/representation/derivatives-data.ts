import type { JobReport, ReportedJob, ReportedState } from '../jobs/report-jobs.ts';

export type { ReportedJob, ReportedState };

/** The value of the button that retries the failed jobs of all actions. */
export const ALL_ACTIONS = '*';

/** The data of the page of derivative jobs. */
export interface DerivativesData {
  readonly report: JobReport;
  /** The titles of the nodes that the caller may view. */
  readonly labels: ReadonlyMap<number, string>;
  /** The actions of the rules. */
  readonly actions: readonly string[];
  readonly filter: {
    readonly state: ReportedState | undefined;
    readonly action: string | undefined;
    readonly nodeId: number | undefined;
  };
  /** The page, from 0. */
  readonly page: number;
  readonly hasMore: boolean;
  /** The token of the forms. Undefined for a caller who may not change jobs. */
  readonly formToken: string | undefined;
}
