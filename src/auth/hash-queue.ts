import { ServiceError } from '../base/errors.ts';

export interface HashQueueLimits {
  maxConcurrent: number;
  maxWaiting: number;
}

/** How long a client that was sent away should stay away. By then a full queue has been worked off. */
const RETRY_AFTER_S = 5;

/**
 * Runs costly work a few at a time, first come, first served. Whoever would be one too many in the queue gets
 * `over-capacity` at once, so that a flood of sign-ins takes neither the memory nor an ever longer wait.
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

  /** A slot goes straight to the next in line, so that nobody who comes between the two can take it. */
  #leave(): void {
    const admit = this.#waiting.shift();
    if (admit) admit();
    else this.#running -= 1;
  }
}

function tooManySignIns(): ServiceError {
  return new ServiceError('over-capacity', 'Too many passwords are being checked at present. Try again shortly.', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });
}
