/**
 * What a failure means for its job. `permanent`: asking again cannot help. `passing`: an attempt that is used
 * up; another one may do. `not-now`: nothing was found out about the job, so that it costs no attempt.
 */
export type FailureKind = 'permanent' | 'passing' | 'not-now';

export interface JobFailureOptions {
  /** What the processor answered, if it did. */
  status?: number | undefined;
  /** What the processor said of it: the first line of its plain text. */
  stderrLine?: string | undefined;
  /** How long the processor asked to be left alone. */
  retryAfterSeconds?: number | undefined;
  /** Whether the address is to blame, as for a refused connection, and not what it was asked for. */
  isOfAddress?: boolean;
  /** Whether the address was not asked at all: there never was a connection. */
  isUnasked?: boolean;
  /** What really happened, for the log. */
  cause?: unknown;
}

/** Why a derivative was not made. The message is a sentence for an administrator and holds no token. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
  readonly kind: FailureKind;
  readonly status: number | undefined;
  readonly stderrLine: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly isOfAddress: boolean;
  readonly isUnasked: boolean;

  constructor(kind: FailureKind, message: string, options: JobFailureOptions = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.status = options.status;
    this.stderrLine = options.stderrLine;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isOfAddress = options.isOfAddress ?? false;
    this.isUnasked = options.isUnasked ?? false;
  }

  /** The same with what the command itself said last, where that is known. */
  withStderr(line: string | undefined): JobFailure {
    if (line === undefined) return this;
    const { kind, message, status, retryAfterSeconds, isOfAddress, isUnasked, cause } = this;
    return new JobFailure(kind, message, {
      status,
      stderrLine: line,
      retryAfterSeconds,
      isOfAddress,
      isUnasked,
      cause,
    });
  }
}

/** There is nothing left to do: the node is gone, or has no pages. The message says what became of it. */
export class JobOver extends Error {
  override readonly name = 'JobOver';
}

/** Somebody else has the job by now, or its source has changed since it was begun. */
export class JobLost extends Error {
  override readonly name = 'JobLost';

  constructor() {
    super('the job is no longer ours, or its source has changed');
  }
}

/** The program ends: the job is let go of as it is. */
export class JobInterrupted extends Error {
  override readonly name = 'JobInterrupted';

  constructor() {
    super('the program is stopping');
  }
}
