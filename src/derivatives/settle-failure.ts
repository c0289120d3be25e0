import { ServiceError } from '../base/errors.ts';
import { failedGuard } from '../database/errors.ts';
import { JobInterrupted, JobLost, JobOver } from './job-end.ts';
import { JobFailure } from './job-failure.ts';
import type { Outcome } from './outbox.ts';
import { retryDelaySeconds } from './retry-delay.ts';

/** How long a job waits that nothing was found out about. */
const NOT_NOW_S = 15;
/** Whoever says "not now, try again in 0 seconds" would otherwise be asked as fast as the machine can. */
const LEAST_WAIT_S = 1;
/** The same where this machine has to be seen to: its disk is full, say. */
const OWN_TROUBLE_S = 60;
/** Those who wait together come back apart. */
const SPREAD = 0.4;

/** What is to become of a job that came to nothing. */
export type Settlement =
  | { readonly type: 'release' }
  | { readonly type: 'drop'; readonly message: string }
  | { readonly type: 'fail'; readonly outcome: Outcome }
  | { readonly type: 'postpone'; readonly outcome: Outcome; readonly delaySeconds: number; readonly counts: boolean };

export interface Tried {
  /** Attempts before this one. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
}

/** Decides by a failure what becomes of its job: it is let go of, ended, given up, or tried again after a while. */
export function settleFailure(error: unknown, tried: Tried): Settlement {
  if (error instanceof JobLost || error instanceof JobInterrupted || failedGuard(error) === 'guard_lost')
    return { type: 'release' };
  if (error instanceof JobOver) return { type: 'drop', message: error.message };
  if (error instanceof JobFailure) {
    const { kind, message, status, stderrLine, retryAfterSeconds } = error;
    const outcome = { status, message, stderr: stderrLine };
    if (kind === 'permanent') return { type: 'fail', outcome };
    if (kind === 'passing') return again(outcome, tried, retryAfterSeconds);
    return notNow(outcome, Math.max(retryAfterSeconds ?? NOT_NOW_S, LEAST_WAIT_S), tried);
  }
  return settleOwn(error, tried);
}

/** Failures of this repository: most are nothing that the job is to blame for. */
function settleOwn(error: unknown, tried: Tried): Settlement {
  const message = error instanceof ServiceError ? error.publicMessage : 'Something unforeseen happened: see the log.';
  const outcome = { status: undefined, message, stderr: undefined };
  const kind = error instanceof ServiceError ? error.kind : undefined;
  switch (kind) {
    case 'storage-full':
    case 'storage-failed':
    case 'database-locked':
    case 'unavailable':
      return notNow(outcome, OWN_TROUBLE_S, tried);
    case 'malformed':
    case 'forbidden':
    case 'not-found':
    case 'too-large':
    case 'unprocessable':
      return { type: 'fail', outcome };
    default:
      return again(outcome, tried, undefined);
  }
}

function again(outcome: Outcome, { attempts, maxAttempts, random }: Tried, wantedSeconds = 0): Settlement {
  const made = attempts + 1;
  if (made >= maxAttempts) return { type: 'fail', outcome };
  const delaySeconds = Math.max(retryDelaySeconds(made, random), wantedSeconds);
  return { type: 'postpone', outcome, delaySeconds, counts: true };
}

function notNow(outcome: Outcome, seconds: number, { random }: Tried): Settlement {
  return { type: 'postpone', outcome, delaySeconds: seconds * (1 + SPREAD * random()), counts: false };
}
