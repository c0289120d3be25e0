import { ServiceError } from '../base/errors.ts';

interface HashQueueLimits {
  maxConcurrent: number;
  maxWaiting: number;
}

/** The `Retry-After` of rejected clients. A full queue takes less time. */
const RETRY_AFTER_S = 5;

/**
 * Runs costly tasks with limited concurrency, first come, first served. Throws `over-capacity` if the queue is full, which
 * limits memory and waiting time during a flood of sign-ins.
 */
export class HashQueue {
  readonly #limits: HashQueueLimits;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: HashQueueLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#enter();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #enter(): Promise<void> {
    if (this.#running < this.#limits.maxConcurrent) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= this.#limits.maxWaiting) throw tooManySignIns();
    await new Promise<void>((admit) => this.#waiting.push(admit));
  }

  /** Passes the slot directly to the next task, so that a new one cannot take it. */
  #leave(): void {
    const admit = this.#waiting.shift();
    if (admit) admit();
    else this.#running -= 1;
  }
}

function tooManySignIns(): ServiceError {
  return new ServiceError('over-capacity', 'Too many passwords are being checked. Try again shortly.', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });
}
