/**
 * Every way in which a request can fail, as a closed list. A new kind does not compile until
 * `http/error-status.ts` gives it a status.
 */
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

export interface ServiceErrorOptions {
  /** What really happened. It is logged and never reaches a client. */
  cause?: unknown;
  /** Headers that belong to the answer, such as `Allow` or `Retry-After`. */
  headers?: Record<string, string>;
}

/** A failure with a name: a kind, one plain sentence for the client, and a private cause for the log. */
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

/** The request itself is wrong (400). */
export function malformed(publicMessage: string, cause?: unknown): ServiceError {
  return new ServiceError('malformed', publicMessage, { cause });
}

/** The request is well-formed, but what it says cannot be done (422). */
export function unprocessable(publicMessage: string): ServiceError {
  return new ServiceError('unprocessable', publicMessage);
}

/** The code of a system error such as `ENOENT`, or undefined. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
