/**
 * Every way in which a request can fail, as a closed list. A new kind does not compile until
 * `http/error-status.ts` gives it a status.
 */
export type ErrorKind =
  | 'malformed'
  | 'unauthenticated'
  | 'not-found'
  | 'method-not-allowed'
  | 'too-large'
  | 'source-failed'
  | 'client-gone'
  | 'command-failed'
  | 'misconfigured'
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
