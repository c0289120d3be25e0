import type { FirstSteps } from '../first-steps.ts';

/** The parent of this worker, as the worker sees it. */
export interface Parent {
  /** Says that everything is open; resolves when the parent wants requests to be answered. */
  begin(listening: Omit<Listening, 'is'>): Promise<void>;
  tellReady(ready: Omit<Ready, 'is'>): void;
  /** Resolves when this worker has to stop: the parent asks for it, is gone, or somebody has sent a SIGTERM. */
  readonly stopped: Promise<void>;
  /** Calls back for what else the parent asks. */
  onAsked(listener: (asked: ToWorker & { do: 'reload' | 'kill' }) => void): void;
  /** Lets go of the parent, so that the process can end. */
  leave(): void;
}

/**
 * Listens to the parent and no longer to the terminal, whose signals come to the whole group of processes: the parent
 * passes them on once. A parent that goes before this worker has begun takes it along: nobody has been answered yet.
 */
export function followParent(): Parent {
  const begun = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  let hasBegun = false;
  let hasLeft = false;
  let listener: ((asked: ToWorker & { do: 'reload' | 'kill' }) => void) | undefined;
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
    tellReady: (ready) => tell({ is: 'ready', ...ready }),
    stopped: stopped.promise,
    onAsked(next) {
      listener = next;
    },
    leave() {
      hasLeft = true;
      if (process.connected) process.disconnect?.();
    },
  };
}

/** What the parent asks of a worker. */
export type ToWorker =
  /** All of them listen: answer from now on. */
  | { do: 'begin' }
  /** Of each of them only one tells of what else has changed: it is the same for all. */
  | { do: 'reload'; tellsOfChanges: boolean }
  | { do: 'stop' }
  | { do: 'kill' };

/** What a worker tells its parent, in this order. */
export type FromWorker = Listening | Ready;

/** Everything is open, and nobody has been answered yet. */
export interface Listening {
  is: 'listening';
  /** What it runs with: workers with different ones have been started with different configurations. */
  edition: string;
}

export interface Ready {
  is: 'ready';
  /** As this machine knows it, for the log: `http://localhost:8000`. */
  address: string;
  /** If this worker has given the administrator a password: nobody has used the repository before. */
  first?: { address: string; generatedPassword: string | undefined; firstSteps: FirstSteps | undefined };
}
