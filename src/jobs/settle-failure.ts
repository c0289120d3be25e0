import { ServiceError } from '../base/errors.ts';
import { failedGuard } from '../database/errors.ts';
import { JobFailure, JobInterrupted, JobLost, JobOver } from './job-failure.ts';
import type { Outcome } from './outbox.ts';

/** Delay of a job that could not be started. */
const NOT_NOW_S = 15;
/** Minimum delay: a processor may answer `Retry-After: 0`. */
const LEAST_WAIT_S = 1;
/** Delay after a problem of this machine, such as a full disk. */
const OWN_PROBLEM_S = 60;
/** Spreads the retries of jobs that wait together. */
const SPREAD = 0.4;

/** The next state of a job whose attempt failed. */
type Settlement =
  | { readonly type: 'release' }
  | { readonly type: 'drop'; readonly message: string }
  | { readonly type: 'fail'; readonly outcome: Outcome }
  | { readonly type: 'postpone'; readonly outcome: Outcome; readonly delaySeconds: number; readonly counts: boolean };

interface AttemptCount {
  /** Attempts before this one. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** Returns numbers from 0 to 1. */
  readonly random: () => number;
}

/** Returns whether the job of a failure is released, dropped, failed, or retried later. */
export function settleFailure(error: unknown, tried: AttemptCount): Settlement {
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

/** Settles a failure of this repository. Most are not caused by the job. */
function settleOwn(error: unknown, tried: AttemptCount): Settlement {
  const message = error instanceof ServiceError ? error.publicMessage : 'An unexpected error occurred: see the log.';
  const outcome = { status: undefined, message, stderr: undefined };
  const kind = error instanceof ServiceError ? error.kind : undefined;
  switch (kind) {
    case 'storage-full':
    case 'storage-failed':
    case 'database-locked':
    case 'unavailable':
      return notNow(outcome, OWN_PROBLEM_S, tried);
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

function again(outcome: Outcome, { attempts, maxAttempts, random }: AttemptCount, wantedSeconds = 0): Settlement {
  const made = attempts + 1;
  if (made >= maxAttempts) return { type: 'fail', outcome };
  const delaySeconds = Math.max(retryDelaySeconds(made, random), wantedSeconds);
  return { type: 'postpone', outcome, delaySeconds, counts: true };
}

function notNow(outcome: Outcome, seconds: number, { random }: AttemptCount): Settlement {
  return { type: 'postpone', outcome, delaySeconds: seconds * (1 + SPREAD * random()), counts: false };
}

const FIRST_DELAY_S = 30;
const GROWTH = 4.5;
const LONGEST_DELAY_S = 3600;
/** Spreads the retries of jobs that failed together, as when a processor went down. */
const JITTER = 0.2;

/**
 * Returns the delay in seconds after the failed attempt number `attempts`, counted from 1. `random` returns numbers from 0
 * to 1. Five attempts take about an hour, enough time to repair a service:
 *
 * | after attempt | 1 | 2 | 3 | 4 | 5 and later |
 * |---|---|---|---|---|---|
 * | waits, ± 20 % | 30 s | 2 min 15 s | 10 min | 46 min | 1 h |
 */
export function retryDelaySeconds(attempts: number, random: () => number): number {
  const delay = Math.min(FIRST_DELAY_S * GROWTH ** Math.max(attempts - 1, 0), LONGEST_DELAY_S);
  return Math.round(delay * (1 - JITTER + 2 * JITTER * random()));
}
