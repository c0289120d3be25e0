import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Durations from a thumbnail to a feature film. */
const DURATION_BUCKETS_S = [0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600, 14_400];

type AttemptOutcome = 'made' | 'retried' | 'postponed' | 'failed' | 'dropped';

/** The number of jobs in each state, and the waiting time of the oldest due job in seconds. */
export interface QueueFigures {
  readonly counts: ReadonlyMap<string, number>;
  readonly oldestDueSeconds: number;
}

/** Counts the attempts of this process by outcome. */
export interface DerivativeMetrics {
  /** Counts an attempt; `seconds` is the duration of a successful one. */
  count(action: string, outcome: AttemptOutcome, seconds?: number): void;
}

/** Adds the metrics of the queue to a registry. They are read at each scrape, once for all of them. */
export function addQueueFigures(registry: Registry, readQueue: () => Promise<QueueFigures>): void {
  const registers = [registry];
  let reading: Promise<QueueFigures> | undefined;
  const read = () => {
    reading ??= readQueue().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  new Gauge({
    name: 'repo_derivatives_jobs',
    help: 'Jobs in the queue, by state.',
    aggregator: 'first',
    labelNames: ['state'],
    registers,
    async collect() {
      const { counts } = await read();
      this.reset();
      for (const [state, count] of counts) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'repo_derivatives_oldest_due_seconds',
    help: 'Seconds for which the oldest due job has been waiting.',
    aggregator: 'first',
    registers,
    async collect() {
      this.set((await read()).oldestDueSeconds);
    },
  });
}

/** Adds the metrics of a dispatcher to a registry. `running` returns the number of its running jobs. */
export function createDerivativeMetrics(registry: Registry, running: () => number): DerivativeMetrics {
  const registers = [registry];
  new Gauge({
    name: 'repo_derivatives_in_hand',
    help: 'Jobs that this process works on.',
    registers,
    collect() {
      this.set(running());
    },
  });
  const attempts = new Counter({
    name: 'repo_derivatives_attempts_total',
    help: 'Attempts of this process, by action and outcome.',
    labelNames: ['action', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'repo_derivatives_duration_seconds',
    help: 'Time from the call of a processor until the derivative is stored.',
    labelNames: ['action'],
    buckets: DURATION_BUCKETS_S,
    registers,
  });
  return {
    count(action, outcome, seconds) {
      attempts.inc({ action, outcome });
      if (seconds !== undefined) durations.observe({ action }, seconds);
    },
  };
}
