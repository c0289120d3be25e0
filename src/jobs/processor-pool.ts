import { CircuitState, ConsecutiveBreaker, circuitBreaker, DelegateBackoff, handleWhenResult } from 'cockatiel';
import { JobFailure } from './job-failure.ts';

/** Number of consecutive failures after which an address is suspended. */
const FAILURES_TO_OPEN = 3;
/** The suspension of an address, which doubles with each failed trial. */
const DEFAULT_REST = { firstMs: 5_000, longestMs: 5 * 60_000 };

export interface PoolOptions {
  /** Maximum number of concurrent jobs of all addresses together. */
  maxConcurrent: number;
  rest?: { firstMs: number; longestMs: number };
}

/** A change of an address. */
export type PoolChange =
  /** Its circuit is open: it receives no job before a trial in `restSeconds`. */
  | { address: string; change: 'opened'; failure: JobFailure; restSeconds: number }
  /** It answered again. */
  | { address: string; change: 'closed' }
  /** Its suspension is over: it may receive jobs or, if its circuit is open, one as a trial. */
  | { address: string; change: 'rested' };

interface AddressState {
  address: string;
  running: number;
  isOpen: boolean;
}

/** Interchangeable processors, each of which may be down or full for some time. */
interface ProcessorPool {
  /** Returns the number of jobs that it can start now. */
  free(): number;
  /**
   * Runs a job at the address with the fewest jobs, in turn among equals. Throws the error of the job. Failures that are
   * `isOfAddress` count against the address; other results count as success, at the latest when the job calls `noteAnswer`,
   * so that a trial does not wait for the end of a long answer. `Retry-After` suspends an address. `noteEnd` frees the slot
   * of the job. A job that got no connection tries the next address, each once. Throws a `not-now` JobFailure if none is
   * free.
   */
  run<T>(job: (address: string, noteAnswer: () => void, noteEnd: () => void) => Promise<T>): Promise<T>;
  states(): AddressState[];
  /** Registers a listener for every change. */
  onChange(listener: (change: PoolChange) => void): void;
  /** Stops timers and listeners. Running jobs may continue. */
  stop(): void;
}

/** Creates a pool over the distinct addresses. */
export function createProcessorPool(
  addresses: readonly string[],
  { maxConcurrent, rest = DEFAULT_REST }: PoolOptions,
): ProcessorPool {
  let listeners: ((change: PoolChange) => void)[] = [];
  const tell = (change: PoolChange) => {
    for (const listener of listeners) listener(change);
  };
  const seats = [...new Set(addresses)].map((address) => new PooledProcessor(address, rest, tell));
  let turn = 0;
  const free = () => {
    const running = seats.reduce((sum, seat) => sum + seat.running, 0);
    const room = seats.reduce((sum, seat) => sum + seat.freeSlots(), 0);
    return Math.max(Math.min(maxConcurrent - running, room), 0);
  };
  const nextSeat = (tried: ReadonlySet<PooledProcessor>) => {
    const inTurn = [...seats.slice(turn), ...seats.slice(0, turn)];
    const seat = inTurn
      .filter((each) => each.freeSlots() > 0 && !tried.has(each))
      .reduce<PooledProcessor | undefined>(
        (best, other) => (best && other.running >= best.running ? best : other),
        undefined,
      );
    if (seat !== undefined) turn = (seats.indexOf(seat) + 1) % seats.length;
    return seat;
  };
  return {
    free,
    async run(job) {
      const tried = new Set<PooledProcessor>();
      let failure = new JobFailure('not-now', 'No processor is free.');
      for (;;) {
        const seat = free() > 0 ? nextSeat(tried) : undefined;
        if (seat === undefined) throw failure;
        tried.add(seat);
        try {
          return await seat.run(job);
        } catch (error) {
          if (!isUnasked(error)) throw error;
          failure = error;
        }
      }
    },
    states: () => seats.map(({ address, running, isOpen }) => ({ address, running, isOpen })),
    onChange: (listener) => void listeners.push(listener),
    stop() {
      listeners = [];
      for (const seat of seats) seat.stop();
    },
  };
}

/** An address with its circuit. */
class PooledProcessor {
  running = 0;
  readonly address: string;
  readonly #tell: (change: PoolChange) => void;
  readonly #circuit;
  /** The end of its suspension, by `performance.now`. */
  #restsUntil = 0;
  #restMs = 0;
  /** The time at which the circuit opened, by `Date.now`. */
  #openedAt = 0;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(address: string, rest: { firstMs: number; longestMs: number }, tell: (change: PoolChange) => void) {
    this.address = address;
    this.#tell = tell;
    this.#circuit = circuitBreaker(handleWhenResult(isFailure), {
      breaker: new ConsecutiveBreaker(FAILURES_TO_OPEN),
      halfOpenAfter: new DelegateBackoff(({ attempt }) => {
        this.#restMs = Math.min(rest.firstMs * 2 ** (attempt - 1), rest.longestMs);
        return this.#restMs;
      }),
    });
    this.#circuit.onBreak((reason) => {
      if (!('value' in reason && isFailure(reason.value))) return;
      this.#openedAt = Date.now();
      this.#rest(this.#restMs);
      tell({ address, change: 'opened', failure: reason.value, restSeconds: this.#restMs / 1000 });
    });
    this.#circuit.onReset(() => tell({ address, change: 'closed' }));
  }

  get isOpen(): boolean {
    return this.#circuit.state !== CircuitState.Closed;
  }

  /** Returns the number of jobs that it can start. An open circuit allows one, after its suspension. */
  freeSlots(): number {
    if (this.#restLeft() > 0 || this.#circuit.state === CircuitState.HalfOpen) return 0;
    return this.isOpen ? 1 : Number.POSITIVE_INFINITY;
  }

  async run<T>(job: (address: string, noteAnswer: () => void, noteEnd: () => void) => Promise<T>): Promise<T> {
    this.running += 1;
    let isWorking = true;
    const noteEnd = () => {
      if (isWorking) this.running -= 1;
      isWorking = false;
    };
    // After the clock was set back, the circuit would stay open until the time at which it opened.
    if (this.isOpen && Date.now() < this.#openedAt) this.#circuit.isolate().dispose();
    const answered = Promise.withResolvers<undefined>();
    let work!: Promise<T>;
    try {
      await this.#circuit.execute(() => {
        work = job(this.address, () => answered.resolve(undefined), noteEnd);
        const verdict = work.then(
          () => undefined,
          (error: unknown) => this.#judge(error),
        );
        return Promise.race([answered.promise, verdict]);
      });
      return await work;
    } finally {
      noteEnd();
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Returns the failure if it counts against the address. */
  #judge(error: unknown): JobFailure | undefined {
    if (!isFailure(error)) return undefined;
    const { retryAfterSeconds = 0 } = error;
    if (error.kind === 'not-now' && retryAfterSeconds > 0) this.#rest(retryAfterSeconds * 1000);
    return error.isOfAddress ? error : undefined;
  }

  #rest(ms: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, performance.now() + ms);
    this.#wakeUp();
  }

  /** Returns the rest of the suspension in milliseconds; 0 or less for none. The circuit itself uses the system's time. */
  #restLeft(): number {
    const left = this.#restsUntil - performance.now();
    const openFor = Date.now() - this.#openedAt;
    return this.isOpen && openFor >= 0 ? Math.max(left, this.#restMs - openFor) : left;
  }

  #wakeUp(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    // A timer may fire early, and the clock may have been set back.
    this.#timer = setTimeout(() => {
      if (this.#restLeft() > 0) this.#wakeUp();
      else this.#tell({ address: this.address, change: 'rested' });
    }, this.#restLeft());
    this.#timer.unref();
  }
}

function isFailure(value: unknown): value is JobFailure {
  return value instanceof JobFailure;
}

function isUnasked(error: unknown): error is JobFailure {
  return isFailure(error) && error.isUnasked;
}
