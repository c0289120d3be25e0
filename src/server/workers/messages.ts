import type { FirstSteps } from '../first-steps.ts';

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
