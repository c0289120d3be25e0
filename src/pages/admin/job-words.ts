import type { JobReport, ReportedJob, ReportedState } from '../../jobs/report-jobs.ts';

/** The states of jobs in words, in the order of a job's life. */
export const STATE_WORDS: Readonly<Record<ReportedState, string>> = {
  queued: 'Queued',
  running: 'Running',
  waiting: 'Waiting for a program',
  failed: 'Failed',
  done: 'Done',
  cancelled: 'Cancelled',
};

const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: 'The processor rejected the request.',
  401: 'The processor did not accept the credentials of the repository.',
  403: 'The processor may not fetch the source.',
  404: 'The source no longer exists.',
  413: 'The source or the result is too large.',
  415: 'The processor has no command for this type of file.',
  422: 'The command failed on this file: it may be damaged, or of a kind that the program does not know.',
  424: 'The processor could not fetch the source.',
  502: 'The processor could not fetch the source, or the command failed.',
  503: 'The processor was busy.',
  504: 'The command took too long.',
};

/** Returns what a status of the processor means. Undefined without a status, and for success. */
export function statusInWords({ status }: Pick<ReportedJob, 'status'>): string | undefined {
  if (status === null || status < 400) return undefined;
  return STATUS_WORDS[status] ?? `The processor answered with the status ${status}.`;
}

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
