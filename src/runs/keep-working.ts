import { ServiceError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Waker } from './waker.ts';

/** Work in the background of a server. Its state is in the database: any process may continue it. */
export interface Work {
  /** Does the next step, if there is one. Resolves with true if another may follow at once. */
  step(signal: AbortSignal): Promise<boolean>;
  /** The interval at which a process looks for steps, in milliseconds: others may have left some. */
  readonly lookMs: number;
  /** Announces steps that this process has to do. */
  readonly waker?: Waker;
  /** The time until the first look, in milliseconds (default: none). */
  readonly firstMs?: number;
  /** The message of the log if a step fails. */
  readonly failure: string;
}

/**
 * Does the steps of work until the signal aborts. After a failure it tries again at the next look. A `conflict` is none:
 * another process works on it.
 */
export async function keepWorking(work: Work, log: Log, signal: AbortSignal): Promise<void> {
  /** The last logged failure: a disk that is full for hours is logged once. */
  let lastFailure = '';
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();
  work.waker?.onWake(wake);
  signal.addEventListener('abort', wake, { once: true });
  for (let waitMs = work.firstMs ?? 0; !signal.aborted; waitMs = work.lookMs) {
    const timer = setTimeout(wake, waitMs);
    await woken.promise;
    clearTimeout(timer);
    woken = Promise.withResolvers();
    try {
      while (!signal.aborted && (await work.step(signal)));
      lastFailure = '';
    } catch (error) {
      if (signal.aborted || (error instanceof ServiceError && error.kind === 'conflict')) continue;
      const failure = String(error);
      if (failure !== lastFailure) log.warn({ err: error }, work.failure);
      lastFailure = failure;
    }
  }
}
