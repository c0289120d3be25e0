import { jsonTime } from '../base/in-words.ts';
import type { JobReport, ReportedJob, ReportedJobInFull } from '../jobs/report-jobs.ts';

/** A job as JSON. Times are ISO 8601 in UTC; missing values are null. */
export interface JobJson {
  readonly id: number;
  readonly event_id: string;
  readonly action: string;
  readonly node: number;
  /** Null for a job about all members of the node. */
  readonly media: number | null;
  readonly user: number;
  readonly state: ReportedJob['state'];
  readonly attempts: number;
  readonly created: string;
  readonly started: string | null;
  readonly ended: string | null;
  readonly due: string | null;
  readonly status: number | null;
  readonly message: string | null;
  readonly stderr: string | null;
  readonly source_type: string;
}

export interface JobInFullJson extends JobJson {
  readonly event: ReportedJobInFull['event'];
}

export interface JobReportJson {
  readonly counts: JobReport['counts'];
  readonly jobs: readonly JobJson[];
}

function jobJson(job: ReportedJob): JobJson {
  return {
    id: job.id,
    event_id: job.eventId,
    action: job.action,
    node: job.nodeId,
    media: job.mediaId,
    user: job.userId,
    state: job.state,
    attempts: job.attempts,
    created: jsonTime(job.createdAt),
    started: job.startedAt === null ? null : jsonTime(job.startedAt),
    ended: job.endedAt === null ? null : jsonTime(job.endedAt),
    due: job.dueAt === null ? null : jsonTime(job.dueAt),
    status: job.status,
    message: job.message,
    stderr: job.stderr,
    source_type: job.sourceType,
  };
}

export function jobInFullJson(job: ReportedJobInFull): JobInFullJson {
  return { ...jobJson(job), event: job.event };
}

export function jobReportJson({ counts, jobs }: JobReport): JobReportJson {
  return { counts, jobs: jobs.map(jobJson) };
}
