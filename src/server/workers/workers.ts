import { setTimeout } from 'node:timers/promises';
import type { Log } from '../../base/log.ts';
import { settlesWithin } from '../../base/settles-within.ts';
import type { MetricsPart } from './gather-metrics.ts';
import { HEARTBEAT_MS, type ReadyMessage } from './parent.ts';
import type { Seat } from './seat.ts';
import { startWorkerProcess, type TakeLines, type WorkerEnd, type WorkerProcess } from './worker-process.ts';

/** Additional time for aborted uploads, ended commands, and closing the database. */
const LAST_WAIT_MS = 15_000;
/** Maximum wait for killed workers. */
const KILL_WAIT_MS = 1_000;

/** The number of missing heartbeats after which a worker counts as hanging. */
const MAX_MISSED = 20;

interface WorkersOptions {
  readonly count: number;
  readonly port: number;
  readonly processorPort: number | undefined;
  readonly redirectPort: number | undefined;
  readonly log: Log;
  readonly takeLines: TakeLines;
}

/** Processes that share their ports. */
interface Workers {
  /** The first messages of the workers; at least one. */
  readonly ready: readonly ReadyMessage[];
  reload(): Promise<void>;
  /** Stops each worker like a single process, and kills those that do not end. */
  stop(timeoutSeconds: number): Promise<void>;
  kill(): Promise<void>;
}

/**
 * Starts workers, and replaces each that ends, until they are stopped. Starts the first one alone: it migrates the database
 * and the model, and its failure would be that of the others. Returns undefined, with no worker left, if one ends before
 * all listen, or all end before one is ready: they have logged the reason.
 */
export async function startWorkers(options: WorkersOptions): Promise<Workers | undefined> {
  const { count, log, takeLines } = options;
  const stopping = new AbortController();
  const start = (number: number) => {
    const { port, processorPort, redirectPort } = options;
    const seat: Seat = { number, of: count, port, processorPort, redirectPort };
    return startWorkerProcess(seat, { takeLines, gather });
  };
  const gather = async (part: MetricsPart) => {
    const all = await Promise.all(workers.map((worker) => worker.readMetrics(part)));
    return all.filter((metrics) => metrics !== undefined);
  };
  const workers: WorkerProcess[] = [];
  workers.push(start(1));
  const first = await workers[0]?.listening;
  if (first === undefined) return giveUp();
  for (let number = 2; number <= count; number++) workers.push(start(number));
  if (!(await all(workers.map(({ listening }) => listening)))) return giveUp();
  for (const worker of workers) worker.ask({ do: 'begin' });
  // From here on workers are replaced: one may have set the first password already.
  const ready = (await Promise.all(workers.map((worker) => worker.ready))).filter((each) => each !== undefined);
  if (ready.length === 0) return giveUp();
  for (const index of workers.keys()) void keep(index);
  return {
    ready,
    async reload() {
      let hasReceiver = false;
      for (const worker of workers)
        hasReceiver = worker.ask({ do: 'reload', tellsOfChanges: !hasReceiver }) || hasReceiver;
    },
    async stop(timeoutSeconds) {
      stopping.abort();
      for (const worker of workers) worker.ask({ do: 'stop' });
      await endWithin(timeoutSeconds * 1_000 + LAST_WAIT_MS);
    },
    async kill() {
      stopping.abort();
      for (const worker of workers) worker.ask({ do: 'kill' });
      await endWithin(KILL_WAIT_MS);
    },
  };

  async function giveUp(): Promise<undefined> {
    for (const worker of workers) {
      const hasEnded = await settlesWithin(worker.ended, 0);
      if (hasEnded) logEnd(worker, await worker.ended, 'before all workers were ready');
      else worker.kill();
    }
    await endWithin(KILL_WAIT_MS);
    return undefined;
  }

  /** Replaces the worker in a seat whenever it ends. */
  async function keep(index: number): Promise<void> {
    const pauseAfter = createRestartPause();
    for (;;) {
      const worker = workers[index] as WorkerProcess;
      void killIfHanging(worker);
      const end = await worker.ended;
      if (stopping.signal.aborted) return;
      const pauseMs = pauseAfter(performance.now() - worker.startedAt);
      logEnd(worker, end, `another one takes its place in ${pauseMs / 1_000} s`);
      // A stop ends the pause.
      await setTimeout(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      workers[index] = start(worker.seat.number);
      void begin(workers[index]);
    }
  }

  /**
   * Kills a worker whose event loop stands still; a long request lets it run. Missing heartbeats are counted, not the time: after a halt
   * of this process, those that wait are read first.
   */
  async function killIfHanging(worker: WorkerProcess): Promise<void> {
    if ((await worker.ready) === undefined) return;
    let missed = 0;
    const looking = setInterval(() => {
      missed = worker.takeHeartbeat() ? 0 : missed + 1;
      if (missed !== MAX_MISSED || stopping.signal.aborted) return;
      const { number } = worker.seat;
      log.error({ worker: number }, `worker ${number} has hung for ${(missed * HEARTBEAT_MS) / 1_000} s: killing it`);
      worker.kill();
    }, HEARTBEAT_MS);
    await worker.ended;
    clearInterval(looking);
  }

  async function begin(worker: WorkerProcess): Promise<void> {
    const listening = await worker.listening;
    worker.ask({ do: 'begin' });
    if ((await worker.ready) === undefined) return;
    const { number } = worker.seat;
    log.info({ worker: number }, `worker ${number} is back`);
    if (listening?.edition !== first?.edition)
      log.warn(
        { worker: number },
        `worker ${number} has started with a changed configuration: restart to apply it to all workers`,
      );
  }

  function logEnd({ seat }: WorkerProcess, end: WorkerEnd, what: string): void {
    log.error({ worker: seat.number, ...end }, `worker ${seat.number} has ended${inWords(end)}: ${what}`);
  }

  async function endWithin(milliseconds: number): Promise<void> {
    const ended = Promise.all(workers.map((worker) => worker.ended));
    if (!(await settlesWithin(ended, milliseconds))) {
      log.error('killing workers that did not stop');
      for (const worker of workers) worker.kill();
    }
    await ended;
    await settlesWithin(Promise.all(workers.map(({ outputEnded }) => outputEnded)), KILL_WAIT_MS);
  }
}

/** Resolves with all values, or with undefined when the first one is undefined. */
async function all<T>(promises: Promise<T | undefined>[]): Promise<T[] | undefined> {
  const oneIsMissing = new Promise<undefined>((resolve) => {
    for (const promise of promises) void promise.then((value) => value === undefined && resolve(undefined));
  });
  return Promise.race([oneIsMissing, Promise.all(promises) as Promise<T[]>]);
}

function inWords({ signal, exit_code }: WorkerEnd): string {
  if (signal !== undefined) return ` by ${signal}`;
  return exit_code === undefined ? ' before it began' : ` with exit code ${exit_code}`;
}

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;
/** A worker that has run for this time did not fail at its start. */
const LONG_LIFE_MS = 60_000;

/** Creates the function that returns the pause before the next start of a worker: it doubles with each short life. */
export function createRestartPause(): (livedMs: number) => number {
  let next = FIRST_PAUSE_MS;
  return (livedMs) => {
    if (livedMs >= LONG_LIFE_MS) next = FIRST_PAUSE_MS;
    const pause = next;
    next = Math.min(next * 2, MAX_PAUSE_MS);
    return pause;
  };
}
