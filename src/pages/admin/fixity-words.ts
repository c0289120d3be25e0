import { countInWords, secondsInWords } from '../../base/in-words.ts';
import { readableSize } from '../../field-types/readable.tsx';
import type { VerifyScope } from '../../upkeep/fixity/verify-run.ts';
import type { VerifyPlan } from '../../upkeep/fixity/verify-schedule.ts';

/** Returns which files a check covers: `All files`, `10 % of the files in public, scheduled`. */
export function scopeInWords({ store, sample, isScheduled }: VerifyScope): string {
  const part =
    sample === undefined
      ? 'All files'
      : 'percent' in sample
        ? `${sample.percent} % of the files`
        : `${countInWords(sample.files, 'file')} at random`;
  return `${part}${store === undefined ? '' : ` in ${store}`}${isScheduled ? ', scheduled' : ''}`;
}

/** Returns the schedule of checks as a sentence. */
export function planInWords({ everySeconds, bytesPerSecond, store, sample }: VerifyPlan): string {
  const what = scopeInWords({ store, sample });
  const rate = readableSize(bytesPerSecond, 'en') ?? `${bytesPerSecond} bytes`;
  return `${what} every ${secondsInWords(everySeconds)}, at most ${rate} per second. A server does this in the background.`;
}
