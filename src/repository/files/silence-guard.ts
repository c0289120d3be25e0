import { type UploadRate, watchRate } from '../../base/upload-rate.ts';

/** A line that was cut without a word looks like a sender who has nothing to say. No slow one is silent for so long. */
const MAX_SILENCE_MS = 5 * 60_000;
/** How often it is looked whether anything came. */
const LOOKS = 10;

/** Tells a sender who is gone or too slow from one who is just slow. */
export interface SilenceGuard {
  /** Aborts as the sender's own signal does, after the silence, or with the failure of a sender who is too slow. */
  readonly signal: AbortSignal;
  /** Waits for what the sender has next. Only such waiting counts: while our disk is slow, nobody is silent. */
  listen<T>(next: Promise<T>): Promise<T>;
  /** Counts what came. */
  add(bytes: number): void;
  end(): void;
}

/** Guards one body; to be ended with it. Without a `rate` it may be as slow as it likes. */
export function guardSilence(sender: AbortSignal, rate?: UploadRate, maxSilenceMs = MAX_SILENCE_MS): SilenceGuard {
  const controller = new AbortController();
  const passOn = () => controller.abort(sender.reason);
  if (sender.aborted) passOn();
  sender.addEventListener('abort', passOn, { once: true });
  const rateWatch = watchRate(rate, (failure) => controller.abort(failure));
  let isListening = false;
  let silentLooks = 0;
  const timer = setInterval(() => {
    if (isListening) silentLooks += 1;
    if (silentLooks > LOOKS) controller.abort(new Error(`nothing came for ${maxSilenceMs} ms`));
  }, maxSilenceMs / LOOKS);
  return {
    signal: controller.signal,
    async listen(next) {
      silentLooks = 0;
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
