import { ServiceError } from '../base/errors.ts';
import { failedGuard } from '../database/errors.ts';
import { JobFailure, JobInterrupted, JobLost, JobOver } from './job-failure.ts';
import type { Outcome } from './outbox.ts';

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

const FIRST_DELAY_S = 30;
const GROWTH = 4.5;
const LONGEST_DELAY_S = 3600;
/** Jobs that failed together, as when a processor went down, come back apart. */
const JITTER = 0.2;

/**
 * How many seconds a job waits after its failed attempt number `attempts`, counted from 1. `random` gives
 * numbers from 0 to 1. Five attempts take about an hour, time enough for a service to be set right:
 *
 * | after attempt | 1 | 2 | 3 | 4 | 5 and later |
 * |---|---|---|---|---|---|
 * | waits, ± 20 % | 30 s | 2 min 15 s | 10 min | 46 min | 1 h |
 */
export function retryDelaySeconds(attempts: number, random: () => number): number {
  const delay = Math.min(FIRST_DELAY_S * GROWTH ** Math.max(attempts - 1, 0), LONGEST_DELAY_S);
  return Math.round(delay * (1 - JITTER + 2 * JITTER * random()));
}
