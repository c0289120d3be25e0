import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../base/duration.ts';
import type { Sample } from '../modes/storage-administration.ts';

const MAX_SAMPLE = 1_000_000_000;
const MIN_PERIOD_S = 3_600;
const MAX_PERIOD_S = 10 * 366 * 86_400;

/** How many files are a sample: `5%` or `1000`. Throws InvalidArgumentError. */
export function parseSample(value: string): Sample {
  const [, digits, isPercent] = /^(\d{1,10}(?:\.\d{1,4})?)(%?)$/.exec(value) ?? [];
  const number = Number(digits);
  if (isPercent && number > 0 && number <= 100) return { percent: number };
  if (isPercent === '' && Number.isInteger(number) && number >= 1 && number <= MAX_SAMPLE) return { files: number };
  throw new InvalidArgumentError('It must be a part such as 5%, or a number of files such as 1000.');
}

/** How often all is checked, in seconds, or `off`. Throws InvalidArgumentError. */
export function parsePeriod(value: string): number | 'off' {
  if (value === 'off') return value;
  const seconds = parseDuration(value);
  if (seconds !== undefined && seconds >= MIN_PERIOD_S && seconds <= MAX_PERIOD_S) return seconds;
  throw new InvalidArgumentError('It must be a time such as 12h or 30d, from 1h, or off.');
}

/** How old something must be, in seconds, for nobody to be at it any more. Throws InvalidArgumentError. */
export function parseAge(value: string): number {
  const seconds = parseDuration(value);
  if (seconds !== undefined && seconds >= MIN_PERIOD_S && seconds <= MAX_PERIOD_S) return seconds;
  throw new InvalidArgumentError('It must be a time such as 2h or 7d, from 1h.');
}
