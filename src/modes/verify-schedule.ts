import { setTimeout } from 'node:timers/promises';
import { ServiceError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Services } from '../repository/services.ts';
import { verify } from '../repository/storage/verify.ts';
import type { CheckedFile } from '../repository/storage/verify-file.ts';
import { findPlan, type VerifyPlan } from '../repository/storage/verify-plan.ts';
import { problemsOf, type VerifyRun } from '../repository/storage/verify-run.ts';
import { createVerifyRuns } from '../repository/storage/verify-runs.ts';

/** How often it is looked whether there is something to check. */
const LOOK_MS = 60_000;
/** A check is done after this part of its period: it may be late, and the next one still begins in time. */
const DONE_BY = 0.8;

/** The checks that a server does by itself. */
export interface VerifySchedule {
  /** Breaks off what is read at this moment; another process goes on with it. */
  stop(): Promise<void>;
}

/**
 * Does the checks of the plan, a part of them with every look, spread over their period. Of the processes of a repository
 * one at a time does so: whoever looks first.
 */
export function startVerifySchedule(services: Services, log: Log, lookMs = LOOK_MS): VerifySchedule {
  const control = new AbortController();
  const { signal } = control;
  /** A store that is away for days is told of once. */
  let lastFailure = '';

  async function look(): Promise<void> {
    try {
      await checkWhatIsDue(services, log, signal);
      lastFailure = '';
    } catch (error) {
      // Another process is at it.
      if (signal.aborted || (error instanceof ServiceError && error.kind === 'conflict')) return;
      const failure = String(error);
      if (failure !== lastFailure) log.warn({ err: error }, 'the stored files cannot be checked at present');
      lastFailure = failure;
    }
  }

  async function goOn(): Promise<void> {
    // Processes that start together do not look together.
    for (let waitMs = Math.random() * lookMs; await pause(waitMs, signal); waitMs = lookMs) await look();
  }

  const going = goOn();
  return {
    async stop() {
      control.abort(new Error('the server stops'));
      await going;
    },
  };
}

/** Answers false if it was called off. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(ms, undefined, { signal });
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

async function checkWhatIsDue(services: Services, log: Log, signal: AbortSignal): Promise<void> {
  services.database.refresh();
  const plan = await findPlan(services.database);
  if (plan === undefined) return;
  const { store, sample, bytesPerSecond } = plan;
  const scope = { store, sample, isScheduled: true };
  const latest = await createVerifyRuns(services.database).findLatest(scope);
  const isOpen = latest !== undefined && latest.endedAt === undefined;
  if (isOpen ? isEnough(plan, latest) : !isDue(plan, latest)) return;
  let isTold = isOpen;
  const run = await verify(services, {
    scope,
    bytesPerSecond,
    signal,
    isEnough: (run) => isEnough(plan, run),
    onProgress({ total }) {
      if (!isTold) log.info({ files: total, bytesPerSecond }, 'a check of the stored files has begun');
      isTold = true;
    },
    onProblem: (problem) => tellOfProblem(log, problem),
  });
  if (run.endedAt === undefined) return;
  const { checked, bytes, damaged, missing, unreadable } = run;
  const level = problemsOf(run) > 0 ? 'error' : 'info';
  log[level]({ checked, bytes, damaged, missing, unreadable }, 'a check of the stored files has come to its end');
}

function isDue({ everySeconds }: VerifyPlan, latest: VerifyRun | undefined): boolean {
  return latest === undefined || Date.now() / 1_000 >= latest.startedAt + everySeconds;
}

/** Whether a check is as far as it has to be by now. */
function isEnough({ everySeconds }: VerifyPlan, { startedAt, checked, total }: VerifyRun): boolean {
  const elapsed = Date.now() / 1_000 - startedAt;
  return total > 0 && checked >= total * (elapsed / (DONE_BY * everySeconds));
}

function tellOfProblem(log: Log, { file, outcome, detail }: CheckedFile): void {
  log.error({ file: file.id, uri: file.uri, outcome, detail }, `a stored file is ${outcome}`);
}
