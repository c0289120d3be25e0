import { ownCommand } from '../../base/process-identity.ts';
import type { FromWorker, Listening, Ready, ToWorker } from './parent.ts';
import { environmentOf, type Seat } from './seat.ts';

/** A worker, as its parent sees it. */
export interface WorkerProcess {
  readonly seat: Seat;
  readonly startedAt: number;
  /** Undefined if it has ended before. */
  readonly listening: Promise<Listening | undefined>;
  /** Undefined if it has ended before. */
  readonly ready: Promise<Ready | undefined>;
  readonly ended: Promise<WorkerEnd>;
  /** Resolves when all that it has said is passed on. */
  readonly said: Promise<void>;
  /** Asks something of it, and answers whether it is there to hear it. */
  ask(message: ToWorker): boolean;
  /** SIGKILL. */
  kill(): void;
}

/** How a worker has ended: one of the three. */
export interface WorkerEnd {
  readonly exit_code?: number;
  readonly signal?: string;
  /** Why the system did not start it at all. */
  readonly err?: unknown;
}

/** Takes whole lines, and resolves when there is room for more. */
export type TakeLines = (lines: string) => Promise<void>;

/**
 * Starts this very program once more, with the same arguments, as the worker in a seat. What keeps the system from
 * starting it is told as its end.
 */
export function startWorkerProcess(seat: Seat, takeLines: TakeLines): WorkerProcess {
  const listening = Promise.withResolvers<Listening | undefined>();
  const ready = Promise.withResolvers<Ready | undefined>();
  let isConnected = true;
  const start = () =>
    Bun.spawn(ownCommand(), {
      env: environmentOf(seat),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
      serialization: 'json',
      ipc(message: FromWorker) {
        if (message.is === 'listening') listening.resolve(message);
        else ready.resolve(message);
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
  return {
    seat,
    startedAt: performance.now(),
    listening: listening.promise,
    ready: ready.promise,
    ended,
    said: passOn(child.stdout, takeLines),
    ask(message) {
      const isThere = isConnected && child.exitCode === null && child.signalCode === null;
      if (isThere) child.send(message);
      return isThere;
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
    said: Promise.resolve(),
    ask: () => false,
    kill: () => {},
  };
}

/** Passes whole lines on; the rest of a line that was broken off gets its end. */
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
