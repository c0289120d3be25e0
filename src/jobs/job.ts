/** Where a job is on its way. Whoever looks at one in state queued that is leased sees it as running. */
export const JOB_STATES = ['queued', 'running', 'waiting', 'failed', 'done', 'cancelled'] as const;

export type JobState = (typeof JOB_STATES)[number];

/** A job in the hands of a dispatcher. */
export interface ClaimedJob {
  readonly id: number;
  readonly eventId: string;
  readonly action: string;
  readonly nodeId: number;
  /** Null for what is made of all members of the node. */
  readonly mediaId: number | null;
  readonly userId: number;
  /** MIME type of the source. */
  readonly sourceType: string;
  /** The event as JSON, its addresses root-relative. */
  readonly event: string;
  /** The actions whose derivative it is made of. */
  readonly chain: readonly string[];
  readonly version: number;
  /** How often it was tried before. */
  readonly attempts: number;
  /** How long it has waited since it could be taken, in seconds. */
  readonly waitedSeconds: number;
  /** What says that it is ours. */
  readonly lease: string;
}

/** A job that is about to be written, together with the change that calls for it. */
export interface NewJob {
  readonly eventId: string;
  readonly action: string;
  readonly pool: string;
  readonly nodeId: number;
  readonly userId: number;
  readonly sourceType: string;
  readonly event: string;
  readonly chain: readonly string[];
  /** The term whose first media on the node is the source; undefined for what is made of members. */
  readonly sourceTermId: number | undefined;
  /** How long it waits before anyone may take it. */
  readonly delaySeconds: number;
}
