/**
 * The effect of a failure on its job. `permanent`: another attempt cannot succeed. `passing`: the failure costs an attempt,
 * another may succeed. `not-now`: the job was not tried, so that the failure costs no attempt.
 */
export type FailureKind = 'permanent' | 'passing' | 'not-now';

interface JobFailureOptions {
  /** The HTTP status of the processor, if it answered. */
  status?: number | undefined;
  /** The first line of the processor's plain-text answer, or the last line of the command's standard error. */
  stderrLine?: string | undefined;
  /** The `Retry-After` of the processor. */
  retryAfterSeconds?: number | undefined;
  /** True if the address failed, as with a refused connection, and not the request. */
  isOfAddress?: boolean;
  /** True if the address received no request: there was no connection. */
  isUnasked?: boolean;
  /** The original error, for the log. */
  cause?: unknown;
}

/** The failure of an attempt. The message is a sentence for an administrator and contains no token. */
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

  /** Returns the failure with the last line that the command wrote to standard error, if it is known. */
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

/** A job with nothing to do, such as for a deleted node or one without pages. The message is the reason. */
export class JobOver extends Error {
  override readonly name = 'JobOver';
}

/** Another process has the job, or its source has changed since its start. */
export class JobLost extends Error {
  override readonly name = 'JobLost';

  constructor() {
    super('another process has it, or its source has changed');
  }
}

/** The program stops: the job is released unchanged. */
export class JobInterrupted extends Error {
  override readonly name = 'JobInterrupted';

  constructor() {
    super('the program is stopping');
  }
}
