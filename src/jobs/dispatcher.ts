import type { Log } from '../base/log.ts';
import type { WriteWatch } from '../database/database-client.ts';
import { ClaimedAhead } from './claimed-ahead.ts';
import type { ClaimedJob } from './job.ts';
import { JobInterrupted, JobLost } from './job-failure.ts';
import type { Maker, Place } from './maker.ts';
import type { Outbox } from './outbox.ts';
import type { Pace } from './pace.ts';

/** How often is looked for jobs that have become due, and for those of other processes where nobody tells of them. */
const POLL_MS = 1_000;
const UNTOLD_POLL_MS = 40;
/** How often a lease is renewed before it would run out. */
const RENEWALS = 3;
/** How long a job that was claimed ahead waits for a place before it is left to others. */
const MAX_AHEAD_MS = 1_000;
/** So many answers are stored at a time while others are being made: enough to share commits, few enough to hold in hand. */
const MAX_STORING = 16;

export interface DispatcherParts {
  readonly outbox: Outbox;
  /** Tells of writes to the outbox by any process. */
  readonly watch: (listener: () => void) => WriteWatch;
  /** Whether whoever else adds jobs looks for them, too: then a look now and then will do. Left out: no. */
  readonly isShared?: boolean;
  /** By name of the pool: jobs of other pools are left to others. */
  readonly makers: ReadonlyMap<string, Maker>;
  /** Does a job and settles it; never rejects. */
  readonly work: (job: ClaimedJob, maker: Maker, signal: AbortSignal) => Promise<void>;
  /** What is done now and then, first at the start. */
  readonly upkeep: () => Promise<void>;
  readonly pace: Pace;
  readonly log: Log;
}

export interface Dispatcher {
  /** Jobs in hand. */
  readonly running: number;
  /** Looks for jobs at once: some were just queued. */
  wake(): void;
  /** Takes nothing more, waits for what runs for at most so long, lets go of the rest, and resolves when all is let go of. */
  stop(timeoutMs: number): Promise<void>;
}

interface Running {
  readonly job: ClaimedJob;
  readonly control: AbortController;
  readonly done: Promise<void>;
}

/**
 * Takes jobs out of the outbox as fast as the makers do them. Each is leased, and the lease renewed while it runs, so
 * that any number of processes can do this side by side, and one that dies leaves nothing behind for long.
 */
export function startDispatcher(parts: DispatcherParts): Dispatcher {
  const { outbox, watch, makers, work, upkeep, pace, log } = parts;
  const running = new Map<number, Running>();
  /** How many jobs were given to a maker that have no place with it yet. */
  const entering = new Map<Maker, number>();
  /** How many jobs have their answer and are storing it. */
  let storing = 0;
  let isStopped = false;
  let isPumping = false;
  let isAskedAgain = false;
  /** As `performance.now` counts. */
  let restsUntil = 0;
  /** Of pools that share a maker the one served last comes last: else one that is never empty would keep the others waiting. */
  const turns = [...makers];
  const aheadOf = new Map([...makers.values()].map((maker) => [maker, new ClaimedAhead()]));

  const start = (job: ClaimedJob, maker: Maker) => {
    const control = new AbortController();
    const count = (change: number) => void entering.set(maker, (entering.get(maker) ?? 0) + change);
    let hasEntered = false;
    let isStoring = false;
    const enter = () => {
      if (!hasEntered) count(-1);
      hasEntered = true;
    };
    count(1);
    const counted: Maker = {
      ...maker,
      run(task) {
        enter();
        return maker.run((place) => task({ ...place, noteEnd: () => end(place) }));
      },
    };
    const end = (place: Place) => {
      place.noteEnd();
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
    const wantedBy = (maker: Maker) => aheadOf.get(maker)?.wanted(Math.max(placesAt(maker), 0)) ?? 0;
    const open = turns.filter(([, maker]) => wantedBy(maker) > 0).map(([pool]) => pool);
    if (open.length === 0) return;
    const due = await outbox.findDue(open, idsInHand());
    for (const turn of [...turns]) {
      const [pool, maker] = turn;
      const wanted = due.has(pool) && !isStopped ? wantedBy(maker) : 0;
      if (wanted <= 0) continue;
      aheadOf.get(maker)?.add(await outbox.claim(pool, wanted, idsInHand()));
      turns.push(...turns.splice(turns.indexOf(turn), 1));
      begin();
    }
  }

  /** Gives the makers what waits for them, as far as they have places. */
  function begin(): void {
    if (isStopped) return;
    for (const [maker, ahead] of aheadOf)
      while (placesAt(maker) > 0) {
        const job = ahead.next();
        if (job === undefined) break;
        start(job, maker);
      }
  }

  function inHand(): ClaimedJob[] {
    return [...Array.from(running.values(), ({ job }) => job), ...[...aheadOf.values()].flatMap(({ jobs }) => jobs)];
  }

  function idsInHand(): number[] {
    return inHand().map(({ id }) => id);
  }

  /** How many jobs may be given to a maker now. */
  function placesAt(maker: Maker): number {
    return Math.min(maker.free() - (entering.get(maker) ?? 0), MAX_STORING - storing);
  }

  /** One look at a time; whoever asks meanwhile is seen to afterwards. */
  function wake(): void {
    begin();
    if (isStopped || performance.now() < restsUntil) return;
    if (isPumping) {
      isAskedAgain = true;
      return;
    }
    isPumping = true;
    pump()
      .catch((error: unknown) => {
        // A disk that is full need not be filled with lines about that.
        restsUntil = performance.now() + POLL_MS;
        log.warn({ err: error }, 'derivatives: the queue cannot be read at present');
      })
      .finally(() => {
        isPumping = false;
        if (!isAskedAgain) return;
        isAskedAgain = false;
        wake();
      });
  }

  async function renew(): Promise<void> {
    const lost = new Set((await outbox.renew(inHand())).map(({ id }) => id));
    for (const id of lost) running.get(id)?.control.abort(new JobLost());
    for (const ahead of aheadOf.values()) ahead.remove(lost);
  }

  /** Lets go of what waits for a place for so long. */
  async function letGo(waitedMs: number): Promise<void> {
    await outbox.release([...aheadOf.values()].flatMap((ahead) => ahead.takeLate(waitedMs)));
  }

  /** Leases come first: what is ours must not look as if nobody had renewed it. */
  async function tend(): Promise<void> {
    await renew();
    await upkeep();
  }

  const written = watch(wake);
  const timers = [
    setInterval(
      guarded(() => letGo(MAX_AHEAD_MS), 'jobs cannot be let go of at present', log),
      MAX_AHEAD_MS,
    ),
    setInterval(wake, written.isTold || parts.isShared ? POLL_MS : UNTOLD_POLL_MS),
    setInterval(guarded(renew, 'leases cannot be renewed at present', log), (pace.leaseSeconds / RENEWALS) * 1_000),
    setInterval(guarded(tend, 'the queue cannot be tidied at present', log), pace.upkeepSeconds * 1_000),
  ];
  for (const maker of aheadOf.keys()) maker.onChange(wake);
  guarded(upkeep, 'the queue cannot be tidied at present', log)();
  wake();

  return {
    get running() {
      return running.size;
    },
    wake,
    async stop(timeoutMs) {
      isStopped = true;
      // Whatever is being claimed at this moment is among the running afterwards.
      while (isPumping) await Bun.sleep(1);
      await letGo(0).catch((error: unknown) => log.warn({ err: error }, 'derivatives: jobs cannot be let go of'));
      const late = setTimeout(() => {
        for (const { control } of running.values()) control.abort(new JobInterrupted());
      }, timeoutMs);
      await Promise.all([...running.values()].map(({ done }) => done));
      clearTimeout(late);
      for (const timer of timers) clearInterval(timer);
      written.close();
      for (const maker of aheadOf.keys()) maker.stop();
    },
  };
}

function guarded(task: () => Promise<void>, what: string, log: Log): () => void {
  return () => {
    task().catch((error: unknown) => log.warn({ err: error }, `derivatives: ${what}`));
  };
}
