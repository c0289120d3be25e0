import { ownCommand } from '../../base/process-identity.ts';
import { settlesWithin } from '../../base/settles-within.ts';
import type { MetricsData, MetricsPart } from './gather-metrics.ts';
import type { FromWorker, ListeningMessage, ReadyMessage, ToWorker } from './parent.ts';
import { environmentOf, type Seat } from './seat.ts';

/** A worker process of this parent. */
export interface WorkerProcess {
  readonly seat: Seat;
  readonly startedAt: number;
  /** Resolves with undefined if the worker ends before. */
  readonly listening: Promise<ListeningMessage | undefined>;
  /** Resolves with undefined if the worker ends before. */
  readonly ready: Promise<ReadyMessage | undefined>;
  readonly ended: Promise<WorkerEnd>;
  /** Resolves when its whole output is passed on. */
  readonly outputEnded: Promise<void>;
  /** Returns true if the worker has told that it is alive since the last call. */
  takeHeartbeat(): boolean;
  /** Sends a request. Returns false if the worker has ended. */
  ask(message: ToWorker): boolean;
  /** Returns the metrics of the worker; undefined if it has ended or does not answer in time. */
  readMetrics(part: MetricsPart): Promise<MetricsData | undefined>;
  /** Sends SIGKILL. */
  kill(): void;
}

/** The end of a worker: one of the three. */
export interface WorkerEnd {
  readonly exit_code?: number;
  readonly signal?: string;
  /** The reason why the system did not start it. */
  readonly err?: unknown;
}

/** Takes whole lines, and resolves when there is room for more. */
export type TakeLines = (lines: string) => Promise<void>;

/** What a worker uses of its parent. */
interface WorkerLinks {
  readonly takeLines: TakeLines;
  /** Returns the metrics of all workers. */
  gather(part: MetricsPart): Promise<readonly MetricsData[]>;
}

/** Maximum wait for the metrics of a worker. */
const METRICS_TIMEOUT_MS = 2_000;

/**
 * Starts this program again, with the same arguments, as the worker in a seat. A failure of the system to start it is
 * reported as its end.
 */
export function startWorkerProcess(seat: Seat, { takeLines, gather }: WorkerLinks): WorkerProcess {
  const listening = Promise.withResolvers<ListeningMessage | undefined>();
  const ready = Promise.withResolvers<ReadyMessage | undefined>();
  const asked = new Map<number, (metrics: MetricsData) => void>();
  let lastAsked = 0;
  let isConnected = true;
  let hasBeaten = false;
  const start = () =>
    Bun.spawn(ownCommand(), {
      env: environmentOf(seat),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
      serialization: 'json',
      ipc(message: FromWorker) {
        hasBeaten = true;
        if (message.is === 'listening') listening.resolve(message);
        else if (message.is === 'ready') ready.resolve(message);
        else if (message.is === 'metrics') asked.get(message.id)?.(message.metrics);
        else if (message.is === 'gathering')
          void gather(message.part).then((all) => ask({ do: 'gathered', id: message.id, all }));
      },
      onDisconnect() {
        isConnected = false;
      },
    });
  let child: ReturnType<typeof start>;
  try {
    child = start();
  } catch (error) {
    return neverStarted(seat, error);
  }
  const ended = child.exited.then((code): WorkerEnd => {
    listening.resolve(undefined);
    ready.resolve(undefined);
    return child.signalCode === null ? { exit_code: code } : { signal: String(child.signalCode) };
  });
  const ask = (message: ToWorker) => {
    const isThere = isConnected && child.exitCode === null && child.signalCode === null;
    if (isThere) child.send(message);
    return isThere;
  };
  return {
    seat,
    startedAt: performance.now(),
    listening: listening.promise,
    ready: ready.promise,
    ended,
    outputEnded: passOn(child.stdout, takeLines),
    takeHeartbeat() {
      const taken = hasBeaten;
      hasBeaten = false;
      return taken;
    },
    ask,
    async readMetrics(part) {
      const id = ++lastAsked;
      const answered = Promise.withResolvers<MetricsData>();
      asked.set(id, answered.resolve);
      try {
        if (!ask({ do: 'metrics', id, part })) return undefined;
        return (await settlesWithin(answered.promise, METRICS_TIMEOUT_MS)) ? await answered.promise : undefined;
      } finally {
        asked.delete(id);
      }
    },
    kill: () => child.kill('SIGKILL'),
  };
}

function neverStarted(seat: Seat, error: unknown): WorkerProcess {
  return {
    seat,
    startedAt: performance.now(),
    listening: Promise.resolve(undefined),
    ready: Promise.resolve(undefined),
    ended: Promise.resolve({ err: error }),
    outputEnded: Promise.resolve(),
    takeHeartbeat: () => false,
    ask: () => false,
    readMetrics: async () => undefined,
    kill: () => {},
  };
}

/** Passes whole lines on, and completes a truncated last line. */
async function passOn(stream: ReadableStream<Uint8Array>, takeLines: TakeLines): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('\n') + 1;
    rest = text.slice(end);
    if (end > 0) await takeLines(text.slice(0, end));
  }
  if (rest !== '') await takeLines(`${rest}\n`);
}
