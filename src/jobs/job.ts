/** The states of a job. A queued job with a lease is shown as running. */
export const JOB_STATES = ['queued', 'running', 'waiting', 'failed', 'done', 'cancelled'] as const;

export type JobState = (typeof JOB_STATES)[number];

/** A job that a dispatcher has claimed. */
export interface ClaimedJob {
  readonly id: number;
  readonly eventId: string;
  readonly action: string;
  readonly nodeId: number;
  /** Null for a derivative of all members of the node. */
  readonly mediaId: number | null;
  readonly userId: number;
  /** MIME type of the source. */
  readonly sourceType: string;
  /** The event as JSON, its addresses root-relative. */
  readonly event: string;
  /** The actions that created its source. */
  readonly chain: readonly string[];
  readonly version: number;
  /** The number of previous attempts. */
  readonly attempts: number;
  /** Seconds since its creation. */
  readonly waitedSeconds: number;
  /** The lease of this process. */
  readonly lease: string;
}

/** A job that is inserted together with the change that requires it. */
export interface NewJob {
  readonly eventId: string;
  readonly action: string;
  readonly pool: string;
  readonly nodeId: number;
  readonly userId: number;
  readonly sourceType: string;
  readonly event: string;
  readonly chain: readonly string[];
  /** The term whose first media on the node is the source; undefined for a derivative of members. */
  readonly sourceTermId: number | undefined;
  /** Seconds until it can be claimed. */
  readonly delaySeconds: number;
}
