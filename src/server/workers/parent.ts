import type { FirstSteps } from '../first-steps.ts';
import type { MetricsData, MetricsPart, WorkerMetrics } from './gather-metrics.ts';

/** The parent process of this worker. */
export interface Parent {
  /** Reports that everything is open; resolves when the worker shall answer requests. */
  begin(listening: Omit<ListeningMessage, 'is'>): Promise<void>;
  /** Reports that the worker is ready, and from then on that it is alive. */
  reportReady(ready: Omit<ReadyMessage, 'is'>): void;
  /** Resolves when this worker must stop: at the request of the parent, at its end, and at SIGTERM. */
  readonly stopped: Promise<void>;
  readonly metrics: WorkerMetrics;
  /** Registers a listener for other requests of the parent. */
  onAsked(listener: (asked: ToWorker & { do: 'reload' | 'kill' }) => void): void;
  /** Disconnects from the parent, so that the process can end. */
  leave(): void;
}

/**
 * Follows the parent, and ignores the signals of the terminal, which the whole process group receives: the parent passes
 * them on once. Exits if the parent ends before this worker has begun to answer.
 */
export function followParent(): Parent {
  const begun = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  let hasBegun = false;
  let hasLeft = false;
  let heartbeat: Timer | undefined;
  let listener: ((asked: ToWorker & { do: 'reload' | 'kill' }) => void) | undefined;
  const readers = new Map<MetricsPart, () => Promise<MetricsData>>();
  const gathering = new Map<number, (all: readonly MetricsData[]) => void>();
  let lastGathering = 0;
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('SIGTERM', () => stopped.resolve());
  process.on('disconnect', () => {
    if (!hasBegun && !hasLeft) process.exit(1);
    stopped.resolve();
  });
  process.on('message', (message: ToWorker) => {
    if (message.do === 'begin') {
      hasBegun = true;
      begun.resolve();
    } else if (message.do === 'stop') stopped.resolve();
    else if (message.do === 'gathered') {
      gathering.get(message.id)?.(message.all);
      gathering.delete(message.id);
    } else if (message.do === 'metrics')
      readers
        .get(message.part)?.()
        .then(
          (metrics) => tell({ is: 'metrics', id: message.id, metrics }),
          // The parent stops waiting, and the figures lack this worker.
          () => {},
        );
    else listener?.(message);
  });
  const tell = (message: FromWorker) => {
    if (process.connected) process.send?.(message);
  };
  return {
    begin(listening) {
      tell({ is: 'listening', ...listening });
      return begun.promise;
    },
    reportReady(ready) {
      tell({ is: 'ready', ...ready });
      heartbeat = setInterval(() => tell({ is: 'alive' }), HEARTBEAT_MS);
    },
    stopped: stopped.promise,
    metrics: {
      provide: (part, read) => void readers.set(part, read),
      gather(part) {
        const gathered = Promise.withResolvers<readonly MetricsData[]>();
        gathering.set(++lastGathering, gathered.resolve);
        tell({ is: 'gathering', id: lastGathering, part });
        return gathered.promise;
      },
    },
    onAsked(next) {
      listener = next;
    },
    leave() {
      hasLeft = true;
      clearInterval(heartbeat);
      if (process.connected) process.disconnect?.();
    },
  };
}

/** The interval at which a worker tells that it is alive, in milliseconds. */
export const HEARTBEAT_MS = 1_000;

/** A request of the parent to a worker. */
export type ToWorker =
  /** All workers listen: answer requests. */
  | { do: 'begin' }
  /** Only one worker logs other changes, which are the same for all. */
  | { do: 'reload'; tellsOfChanges: boolean }
  | { do: 'stop' }
  /** Send the metrics of a registry. */
  | { do: 'metrics'; id: number; part: MetricsPart }
  /** The metrics of all workers that have answered. */
  | { do: 'gathered'; id: number; all: readonly MetricsData[] }
  | { do: 'kill' };

/** The messages of a worker to its parent: the first two in this order, the others at any time. */
export type FromWorker =
  | ListeningMessage
  | ReadyMessage
  /** Asks for the metrics of all workers. */
  | { is: 'gathering'; id: number; part: MetricsPart }
  | { is: 'metrics'; id: number; metrics: MetricsData }
  | HeartbeatMessage;

/** Everything is open, and no request has been answered. */
export interface ListeningMessage {
  is: 'listening';
  /** Identifies the version and the configuration of the worker. */
  edition: string;
}

/** The event loop of the worker runs. */
interface HeartbeatMessage {
  is: 'alive';
}

export interface ReadyMessage {
  is: 'ready';
  /** The local address for the log, such as `http://localhost:8000`. */
  address: string;
  /** Set if this worker has set the administrator's password: the repository is new. */
  first?: { address: string; generatedPassword: string | undefined; firstSteps: FirstSteps | undefined };
}
