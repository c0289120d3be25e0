import { codeOf, ServiceError } from '../../base/errors.ts';

/** Codes of connections that were never made: the request did not arrive. */
const NEVER_CONNECTED =
  /^(ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|FailedToOpenSocket|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_)/;

export interface RemoteFailureFacts {
  /** Whether the server may have done what it was asked for. */
  readonly mayBeDone: boolean;
  /** Whether the same may go well in a moment. */
  readonly mayPass: boolean;
  readonly isTokenRefused?: boolean;
  /** Whether it is of this request alone: others may well be answered. */
  readonly isOfOne?: boolean;
  readonly cause?: unknown;
}

/** An exchange with a libSQL server that did not come to an answer. The message has the address, never the token. */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
  readonly mayBeDone: boolean;
  readonly mayPass: boolean;
  readonly isTokenRefused: boolean;
  readonly isOfOne: boolean;

  constructor(message: string, facts: RemoteFailureFacts) {
    const { mayBeDone, mayPass, isTokenRefused = false, isOfOne = false, cause } = facts;
    super(message, { cause });
    this.mayBeDone = mayBeDone;
    this.mayPass = mayPass;
    this.isTokenRefused = isTokenRefused;
    this.isOfOne = isOfOne;
  }
}

/** Of a request that got no answer. */
export function failedConnection(base: string, cause: unknown): RemoteFailure {
  const code = codeOf(cause) ?? '';
  const why = code || (cause instanceof Error ? cause.message : String(cause));
  const message = `the libSQL server ${base} cannot be reached: ${why}`;
  return new RemoteFailure(message, { mayBeDone: !NEVER_CONNECTED.test(code), mayPass: true, cause });
}

/** Of a request that got none in time. */
export function failedInTime(base: string, ms: number): RemoteFailure {
  const message = `the libSQL server ${base} did not answer within ${ms / 1000} seconds`;
  return new RemoteFailure(message, { mayBeDone: true, mayPass: false });
}

/** Of an answer with another status than 200. */
export function failedStatus(base: string, status: number, body: string): RemoteFailure {
  if (status === 401 || status === 403)
    return new RemoteFailure(`the libSQL server ${base} refuses the token`, {
      mayBeDone: false,
      mayPass: false,
      isTokenRefused: true,
    });
  return new RemoteFailure(`the libSQL server ${base} answers ${status}: ${body.slice(0, 200)}`, {
    // What is refused as wrong was not begun. A gateway may have passed the request on before it failed.
    mayBeDone: status >= 500,
    mayPass: [429, 502, 503].includes(status),
    isOfOne: status < 500 && status !== 429,
  });
}

/** Of an answer that is none. */
export function failedAnswer(base: string, cause?: unknown): RemoteFailure {
  return new RemoteFailure(`what answers at ${base} is no libSQL server`, { mayBeDone: true, mayPass: false, cause });
}

/** Of an answer that lacks statements: a replica answers so where it could not pass on all of a request. */
export function failedHalfway(base: string): RemoteFailure {
  return new RemoteFailure(`the libSQL server ${base} left out statements`, {
    mayBeDone: true,
    mayPass: false,
    isOfOne: true,
  });
}

/** What a request of ours is told of it (503). */
export function unreachable(cause: unknown): ServiceError {
  return new ServiceError('unavailable', 'The database cannot be reached at present.', {
    cause,
    headers: { 'Retry-After': '5' },
  });
}
