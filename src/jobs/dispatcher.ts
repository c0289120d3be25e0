import type { Log } from '../base/log.ts';
import type { WriteWatch } from '../database/database-client.ts';
import { ClaimedAhead } from './claimed-ahead.ts';
import type { Executor, Slot } from './executor.ts';
import type { ClaimedJob } from './job.ts';
import { JobInterrupted, JobLost } from './job-failure.ts';
import type { Outbox, Pace } from './outbox.ts';

/** Interval between checks for due jobs. */
const POLL_MS = 1_000;
/** The interval when other processes cannot notify this one of their writes. */
const UNNOTIFIED_POLL_MS = 40;
/** Number of renewals within the duration of a lease. */
const RENEWALS = 3;
/** Maximum time that a job claimed ahead waits for a slot before it is released. */
const MAX_AHEAD_MS = 1_000;
/** Maximum number of answers stored concurrently: enough to share commits, few enough to limit memory. */
const MAX_STORING = 16;

export interface DispatcherParts {
  readonly outbox: Outbox;
  /** Watches for writes to the outbox by any process. */
  readonly watch: (listener: () => void) => WriteWatch;
  /** True if other processes that add jobs also run them: rare polling suffices then. Default: false. */
  readonly isShared?: boolean;
  /** The executors by name of their pool. Other processes serve other pools. */
  readonly executors: ReadonlyMap<string, Executor>;
  /** Runs a job and settles it. Never rejects. */
  readonly work: (job: ClaimedJob, executor: Executor, signal: AbortSignal) => Promise<void>;
  /** Maintains the queue: called at the start and at intervals, with the ids of the jobs that this process has claimed. */
  readonly upkeep: (inHand: readonly number[]) => Promise<void>;
  readonly pace: Pace;
  readonly log: Log;
}

export interface Dispatcher {
  /** Number of running jobs. */
  readonly running: number;
  /** Checks for jobs at once, since some were just queued. */
  wake(): void;
  /** Claims no more jobs, waits at most `timeoutMs` for running ones, then releases the others and resolves. */
  stop(timeoutMs: number): Promise<void>;
}

interface RunningJob {
  readonly job: ClaimedJob;
  readonly control: AbortController;
  readonly done: Promise<void>;
}

/**
 * Claims jobs from the outbox as fast as the executors run them. Leases a job and renews the lease while it runs, so that
 * any number of processes can work on one queue, and jobs of a killed process continue soon.
 */
export function startDispatcher(parts: DispatcherParts): Dispatcher {
  const { outbox, watch, executors, work, upkeep, pace, log } = parts;
  const running = new Map<number, RunningJob>();
  /** Number of jobs per executor that have started and have no slot yet. */
  const entering = new Map<Executor, number>();
  /** Number of jobs that are storing their answer. */
  let storing = 0;
  let isStopped = false;
  let isPumping = false;
  let mustPumpAgain = false;
  /** Time of the next attempt after a failure, by `performance.now`. */
  let pausedUntil = 0;
  /** The pools, the last served one at the end, so that a pool that is never empty does not block others. */
  const turns = [...executors];
  const aheadOf = new Map([...executors.values()].map((executor) => [executor, new ClaimedAhead()]));

  const start = (job: ClaimedJob, executor: Executor) => {
    const control = new AbortController();
    const count = (change: number) => void entering.set(executor, (entering.get(executor) ?? 0) + change);
    let hasEntered = false;
    let isStoring = false;
    const enter = () => {
      if (!hasEntered) count(-1);
      hasEntered = true;
    };
    count(1);
    const counted: Executor = {
      ...executor,
      run(task) {
        enter();
        return executor.run((slot) => task({ ...slot, noteEnd: () => end(slot) }));
      },
    };
    const end = (slot: Slot) => {
      slot.noteEnd();
      if (!isStoring) storing += 1;
      isStoring = true;
      wake();
    };
    const done = work(job, counted, control.signal).finally(() => {
      enter();
      if (isStoring) storing -= 1;
      running.delete(job.id);
      wake();
    });
    running.set(job.id, { job, control, done });
  };

  async function pump(): Promise<void> {
    const wantedBy = (executor: Executor) => aheadOf.get(executor)?.wanted(Math.max(freeSlotsOf(executor), 0)) ?? 0;
    const open = turns.filter(([, executor]) => wantedBy(executor) > 0).map(([pool]) => pool);
    if (open.length === 0) return;
    const due = await outbox.findDue(open, claimedIds());
    for (const turn of [...turns]) {
      const [pool, executor] = turn;
      const wanted = due.has(pool) && !isStopped ? wantedBy(executor) : 0;
      if (wanted <= 0) continue;
      aheadOf.get(executor)?.add(await outbox.claim(pool, wanted, claimedIds()));
      turns.push(...turns.splice(turns.indexOf(turn), 1));
      begin();
    }
  }

  /** Starts waiting jobs while their executors have free slots. */
  function begin(): void {
    if (isStopped) return;
    for (const [executor, ahead] of aheadOf)
      while (freeSlotsOf(executor) > 0) {
        const job = ahead.next();
        if (job === undefined) break;
        start(job, executor);
      }
  }

  function claimedJobs(): ClaimedJob[] {
    return [...Array.from(running.values(), ({ job }) => job), ...[...aheadOf.values()].flatMap(({ jobs }) => jobs)];
  }

  function claimedIds(): number[] {
    return claimedJobs().map(({ id }) => id);
  }

  /** Returns the number of jobs that an executor can start now. */
  function freeSlotsOf(executor: Executor): number {
    return Math.min(executor.free() - (entering.get(executor) ?? 0), MAX_STORING - storing);
  }

  /** Starts waiting jobs and claims new ones. Claims run one at a time; a call in between leads to another one. */
  function wake(): void {
    begin();
    if (isStopped || performance.now() < pausedUntil) return;
    if (isPumping) {
      mustPumpAgain = true;
      return;
    }
    isPumping = true;
    pump()
      .catch((error: unknown) => {
        // Limits the number of log lines, which may fill a full disk.
        pausedUntil = performance.now() + POLL_MS;
        log.warn({ err: error }, 'derivatives: cannot read the queue');
      })
      .finally(() => {
        isPumping = false;
        if (!mustPumpAgain) return;
        mustPumpAgain = false;
        wake();
      });
  }

  async function renew(): Promise<void> {
    const lost = new Set((await outbox.renew(claimedJobs())).map(({ id }) => id));
    for (const id of lost) running.get(id)?.control.abort(new JobLost());
    for (const ahead of aheadOf.values()) ahead.remove(lost);
  }

  /** Releases jobs that have waited for a slot for `waitedMs`. */
  async function releaseLate(waitedMs: number): Promise<void> {
    await outbox.release([...aheadOf.values()].flatMap((ahead) => ahead.takeLate(waitedMs)));
  }

  /** Renews leases before the upkeep, which would otherwise see them as expired. */
  async function tend(): Promise<void> {
    await renew();
    await upkeep(claimedIds());
  }

  const written = watch(wake);
  const timers = [
    setInterval(
      guarded(() => releaseLate(MAX_AHEAD_MS), 'cannot release jobs', log),
      MAX_AHEAD_MS,
    ),
    setInterval(wake, written.isTold || parts.isShared ? POLL_MS : UNNOTIFIED_POLL_MS),
    setInterval(guarded(renew, 'cannot renew leases', log), (pace.leaseSeconds / RENEWALS) * 1_000),
    setInterval(guarded(tend, 'cannot clean up the queue', log), pace.upkeepSeconds * 1_000),
  ];
  for (const executor of aheadOf.keys()) executor.onChange(wake);
  guarded(() => upkeep([]), 'cannot clean up the queue', log)();
  wake();

  return {
    get running() {
      return running.size;
    },
    wake,
    async stop(timeoutMs) {
      isStopped = true;
      // A claim in progress adds running jobs.
      while (isPumping) await Bun.sleep(1);
      await releaseLate(0).catch((error: unknown) => log.warn({ err: error }, 'derivatives: cannot release jobs'));
      const late = setTimeout(() => {
        for (const { control } of running.values()) control.abort(new JobInterrupted());
      }, timeoutMs);
      await Promise.all([...running.values()].map(({ done }) => done));
      clearTimeout(late);
      for (const timer of timers) clearInterval(timer);
      written.close();
      for (const executor of aheadOf.keys()) executor.stop();
    },
  };
}

function guarded(task: () => Promise<void>, what: string, log: Log): () => void {
  return () => {
    task().catch((error: unknown) => log.warn({ err: error }, `derivatives: ${what}`));
  };
}
