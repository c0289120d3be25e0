import type { ErrorKind } from '../base/errors.ts';

/** The status of nginx for a client that disconnected before the response. Appears only in the log. */
export const STATUS_CLIENT_GONE = 499;

/** Returns the HTTP status of a kind of error (spec: processor, "Errors"; decisions; rest-behaviour, 2.2). */
export function statusOf(kind: ErrorKind): number {
  switch (kind) {
    case 'malformed':
      return 400;
    case 'unauthenticated':
      return 401;
    case 'forbidden':
      return 403;
    case 'not-found':
      return 404;
    case 'method-not-allowed':
      return 405;
    case 'not-acceptable':
      return 406;
    case 'too-slow':
      return 408;
    case 'conflict':
      return 409;
    case 'precondition-failed':
      return 412;
    case 'too-large':
      return 413;
    case 'unsupported-media-type':
      return 415;
    case 'range-not-satisfiable':
      return 416;
    case 'misdirected':
      return 421;
    case 'unprocessable':
      return 422;
    case 'source-failed':
      return 424;
    case 'too-many-requests':
      return 429;
    case 'client-gone':
      return STATUS_CLIENT_GONE;
    case 'command-failed':
    case 'limit-exceeded':
    case 'misconfigured':
    case 'storage-failed':
      return 500;
    case 'database-locked':
    case 'over-capacity':
    case 'unavailable':
      return 503;
    case 'timed-out':
      return 504;
    case 'storage-full':
      return 507;
    default:
      kind satisfies never;
      throw new Error(`no status for ${kind}`);
  }
}
