/** All kinds of failed requests. A new kind compiles only with a status in `http/error-status.ts`. */
export type ErrorKind =
  | 'malformed'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'too-slow'
  | 'conflict'
  | 'precondition-failed'
  | 'too-large'
  | 'unsupported-media-type'
  | 'range-not-satisfiable'
  | 'misdirected'
  | 'unprocessable'
  | 'source-failed'
  | 'client-gone'
  | 'command-failed'
  | 'limit-exceeded'
  | 'misconfigured'
  | 'storage-failed'
  | 'storage-full'
  | 'database-locked'
  | 'too-many-requests'
  | 'over-capacity'
  | 'unavailable'
  | 'timed-out';

interface ServiceErrorOptions {
  /** The cause, which is logged and never sent to a client. */
  cause?: unknown;
  /** Headers of the response, such as `Allow` or `Retry-After`. */
  headers?: Record<string, string>;
}

/** A failed request: its kind, a sentence for the client, and a private cause for the log. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly kind: ErrorKind;
  readonly publicMessage: string;
  readonly headers: Record<string, string>;

  constructor(kind: ErrorKind, publicMessage: string, options: ServiceErrorOptions = {}) {
    super(publicMessage, { cause: options.cause });
    this.kind = kind;
    this.publicMessage = publicMessage;
    this.headers = options.headers ?? {};
  }
}

/** Creates the error for a malformed request (400). */
export function malformed(publicMessage: string, cause?: unknown): ServiceError {
  return new ServiceError('malformed', publicMessage, { cause });
}

/** Creates the error for a well-formed request that cannot be processed (422). */
export function unprocessable(publicMessage: string): ServiceError {
  return new ServiceError('unprocessable', publicMessage);
}

/** Returns the code of a system error, such as `ENOENT`, or undefined. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** A command cannot run. The message is for the user. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
