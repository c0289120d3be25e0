import type { ErrorKind } from '../base/errors.ts';

/** nginx's number for a client that left before its answer; seen in the log only. */
export const STATUS_CLIENT_GONE = 499;

/** The HTTP status of each kind of failure (spec: processor, "Errors"; decisions, "Processor"). */
export function statusOf(kind: ErrorKind): number {
  switch (kind) {
    case 'malformed':
      return 400;
    case 'unauthenticated':
      return 401;
    case 'not-found':
      return 404;
    case 'method-not-allowed':
      return 405;
    case 'too-large':
      return 413;
    case 'source-failed':
      return 424;
    case 'client-gone':
      return STATUS_CLIENT_GONE;
    case 'command-failed':
    case 'misconfigured':
      return 500;
    case 'over-capacity':
    case 'unavailable':
      return 503;
    case 'timed-out':
      return 504;
    default:
      kind satisfies never;
      throw new Error(`no status for ${kind}`);
  }
}
