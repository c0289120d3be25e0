import { codeOf, ServiceError } from '../../base/errors.ts';

/** Codes of failed connections: the server has not received the request. */
const NEVER_CONNECTED =
  /^(ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|FailedToOpenSocket|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_)/;

interface RemoteFailureFacts {
  /** True if the server may have run the batch. */
  readonly mayBeDone: boolean;
  /** True if a retry may succeed. */
  readonly mayRecover: boolean;
  readonly isTokenRefused?: boolean;
  /** True if the error concerns only this request. */
  readonly isSingle?: boolean;
  readonly cause?: unknown;
}

/** A request to a libSQL server without a valid response. The message has the address, never the token. */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
  readonly mayBeDone: boolean;
  readonly mayRecover: boolean;
  readonly isTokenRefused: boolean;
  readonly isSingle: boolean;

  constructor(message: string, facts: RemoteFailureFacts) {
    const { mayBeDone, mayRecover, isTokenRefused = false, isSingle = false, cause } = facts;
    super(message, { cause });
    this.mayBeDone = mayBeDone;
    this.mayRecover = mayRecover;
    this.isTokenRefused = isTokenRefused;
    this.isSingle = isSingle;
  }
}

/** The failure of a request without a response. */
export function failedConnection(base: string, cause: unknown): RemoteFailure {
  const code = codeOf(cause) ?? '';
  const why = code || (cause instanceof Error ? cause.message : String(cause));
  const message = `the libSQL server ${base} cannot be reached: ${why}`;
  return new RemoteFailure(message, { mayBeDone: !NEVER_CONNECTED.test(code), mayRecover: true, cause });
}

/** The failure of a request that exceeded its timeout. */
export function failedTimeout(base: string, ms: number): RemoteFailure {
  const message = `the libSQL server ${base} did not answer within ${ms / 1000} seconds`;
  return new RemoteFailure(message, { mayBeDone: true, mayRecover: false });
}

/** The failure of a response with another status than 200. */
export function failedStatus(base: string, status: number, body: string): RemoteFailure {
  if (status === 401 || status === 403)
    return new RemoteFailure(`the libSQL server ${base} rejects the token`, {
      mayBeDone: false,
      mayRecover: false,
      isTokenRefused: true,
    });
  return new RemoteFailure(`the libSQL server ${base} answers ${status}: ${body.slice(0, 200)}`, {
    // A server does not run a request that it rejects with 4xx. A gateway may have forwarded it before it failed.
    mayBeDone: status >= 500,
    mayRecover: [429, 502, 503].includes(status),
    isSingle: status < 500 && status !== 429,
  });
}

/** The failure of an invalid response. */
export function failedAnswer(base: string, cause?: unknown): RemoteFailure {
  return new RemoteFailure(`the server at ${base} is not a libSQL server`, {
    mayBeDone: true,
    mayRecover: false,
    cause,
  });
}

/** The failure of a response that lacks statements. A replica sends one if it could not forward the whole request. */
export function failedIncomplete(base: string): RemoteFailure {
  return new RemoteFailure(`the libSQL server ${base} left out statements`, {
    mayBeDone: true,
    mayRecover: false,
    isSingle: true,
  });
}

/** The error that the client gets (503). */
export function unreachable(cause: unknown): ServiceError {
  return new ServiceError('unavailable', 'The database cannot be reached at present.', {
    cause,
    headers: { 'Retry-After': '5' },
  });
}
