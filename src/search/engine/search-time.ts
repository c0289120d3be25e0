import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { isInterrupted } from '../../database/errors.ts';

/** The maximum time of a search, without its wait for others. */
export const MAX_SEARCH_MS = 2_000;
/** The time after which a search leaves out what its answer can do without. */
const EXTRAS_MS = 1_500;
/** The interval of interruptions until the work ends: one that comes between two statements has no effect. */
const INTERRUPT_MS = 10;
/** The time between two pauses. */
const WORK_MS = 5;
const RETRY_AFTER_S = 5;

/** The time of one search, whose running statement it ends at the deadline, and when the caller has left. */
export class SearchTime {
  readonly #database: Database;
  readonly #maxMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #begin = performance.now();
  #pausedAt = this.#begin;

  /** `maxMs` may be infinite. */
  constructor(database: Database, maxMs: number, signal?: AbortSignal) {
    this.#database = database;
    this.#maxMs = maxMs;
    this.#signal = signal;
  }

  /** True while there is time for what the answer can do without. */
  get hasRoom(): boolean {
    return this.#passed < Math.min(EXTRAS_MS, this.#maxMs);
  }

  get #passed(): number {
    return performance.now() - this.#begin;
  }

  /** Lets other work of the thread run, if this one has run for a while. Throws `client-gone` if the caller has left, and `over-capacity` after the deadline. */
  pause = async (): Promise<void> => {
    if (performance.now() - this.#pausedAt >= WORK_MS) {
      await setImmediate();
      this.#pausedAt = performance.now();
    }
    if (this.#signal?.aborted) throw clientGone();
    if (this.#passed >= this.#maxMs) throw tookTooLong();
  };

  /** Does the work of the search. Throws as `pause`. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#within(this.#maxMs, work);
    } catch (error) {
      if (!isInterrupted(error)) throw error;
      throw this.#signal?.aborted ? clientGone() : tookTooLong();
    }
  }

  /** Does a part of the work. Returns undefined if it takes longer than `ms`. */
  async atMost<T>(ms: number, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.#within(ms, work);
    } catch (error) {
      if (!isInterrupted(error) || this.#signal?.aborted || this.#passed >= this.#maxMs) throw error;
      return undefined;
    }
  }

  /** Interrupts the statements of the work from `ms` on, and from when the caller leaves. */
  async #within<T>(ms: number, work: () => Promise<T>): Promise<T> {
    let again: Timer | undefined;
    const stop = () => {
      again ??= setInterval(() => this.#database.interrupt(), INTERRUPT_MS);
      this.#database.interrupt();
    };
    const late = Number.isFinite(ms) ? setTimeout(stop, ms) : undefined;
    this.#signal?.addEventListener('abort', stop);
    if (this.#signal?.aborted) stop();
    try {
      return await work();
    } finally {
      clearTimeout(late);
      clearInterval(again);
      this.#signal?.removeEventListener('abort', stop);
    }
  }
}

/** The error for a search whose caller has left. */
export function clientGone(): ServiceError {
  return new ServiceError('client-gone', 'The client has left before the end of the search.');
}

/** The error for a search that takes longer than its time. */
export function tookTooLong(): ServiceError {
  return new ServiceError('over-capacity', 'The search takes too long. Use fewer or rarer words, or try again later.', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });
}
