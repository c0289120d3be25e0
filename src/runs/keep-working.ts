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
  /** The message if a step fails, for the log and the page of tasks. */
  readonly failure: string;
}

/** The last failure of work, after which no step has succeeded. */
interface WorkFailure {
  readonly reason: string;
  /** Seconds since 1970. */
  readonly since: number;
}

/**
 * The failures of the work of one process, by the message of the work. They are not in the database, which may be what
 * fails.
 */
export type WorkFailures = Map<string, WorkFailure>;

/**
 * Does the steps of work until the signal aborts. After a failure it tries again at the next look, and a failure is logged
 * once: a disk may be full for hours. A `conflict` is no failure: another process works on it.
 */
export async function keepWorking(
  work: Work,
  log: Log,
  signal: AbortSignal,
  failures: WorkFailures = new Map(),
): Promise<void> {
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
      failures.delete(work.failure);
    } catch (error) {
      if (signal.aborted || (error instanceof ServiceError && error.kind === 'conflict')) continue;
      const reason = error instanceof Error ? error.message : String(error);
      if (failures.get(work.failure)?.reason === reason) continue;
      log.warn({ err: error }, work.failure);
      failures.set(work.failure, { reason, since: Date.now() / 1_000 });
    }
  }
}
