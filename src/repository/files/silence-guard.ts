import { type UploadRate, watchRate } from '../../base/upload-rate.ts';

/** Maximum silence of a sender. Only a lost connection that was never closed is silent for longer. */
const MAX_SILENCE_MS = 5 * 60_000;
/** The number of checks in the time of maximum silence. */
const CHECKS = 10;

/** Detects senders that have disconnected or are slower than the minimum rate. */
export interface SilenceGuard {
  /** Aborts with the sender's own signal, after the maximum silence, or with the error for a slow sender. */
  readonly signal: AbortSignal;
  /** Waits for the sender's next bytes. Only this wait counts, not the time of writing. */
  listen<T>(next: Promise<T>): Promise<T>;
  /** Counts received bytes. */
  add(bytes: number): void;
  end(): void;
}

/** Guards one body. The caller calls `end` after the body. Without a `rate` there is no minimum rate. */
export function guardSilence(sender: AbortSignal, rate?: UploadRate, maxSilenceMs = MAX_SILENCE_MS): SilenceGuard {
  const controller = new AbortController();
  const passOn = () => controller.abort(sender.reason);
  if (sender.aborted) passOn();
  sender.addEventListener('abort', passOn, { once: true });
  const rateWatch = watchRate(rate, (failure) => controller.abort(failure));
  let isListening = false;
  let silentChecks = 0;
  const timer = setInterval(() => {
    if (isListening) silentChecks += 1;
    if (silentChecks > CHECKS) controller.abort(new Error(`received nothing for ${maxSilenceMs} ms`));
  }, maxSilenceMs / CHECKS);
  return {
    signal: controller.signal,
    async listen(next) {
      silentChecks = 0;
      isListening = true;
      try {
        return await rateWatch.listen(next);
      } finally {
        isListening = false;
      }
    },
    add: rateWatch.add,
    end() {
      rateWatch.end();
      clearInterval(timer);
      sender.removeEventListener('abort', passOn);
    },
  };
}
