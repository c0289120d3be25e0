import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../base/duration.ts';
import type { Sample } from '../upkeep/fixity/verify-run.ts';

const MAX_SHUTDOWN_S = 86_400;
const MAX_EXPIRY_S = 366 * 86_400;
const MAX_LISTED = 10_000;
const MAX_CONCURRENCY = 64;
const MAX_SAMPLE = 1_000_000_000;
const MIN_PERIOD_S = 3_600;
const MAX_PERIOD_S = 10 * 366 * 86_400;
const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
};

/** Parses the seconds that running work is waited for. Throws InvalidArgumentError. */
export function parseSeconds(value: string): number {
  const seconds = Number(value);
  if (value.trim() !== '' && seconds >= 0 && seconds <= MAX_SHUTDOWN_S) return seconds;
  throw new InvalidArgumentError(`It must be a number of seconds from 0 to ${MAX_SHUTDOWN_S}.`);
}

/** Parses the validity of a token, in seconds. Throws InvalidArgumentError. */
export function parseExpiry(value: string): number {
  const seconds = parseDuration(value);
  if (seconds !== undefined && seconds <= MAX_EXPIRY_S) return seconds;
  throw new InvalidArgumentError('It must be a time such as 30m, 2h or 7d, from 1s to 366d.');
}

/** Parses the id of a node or a job. Throws InvalidArgumentError. */
export function parseEntityId(value: string): number {
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a number from 1.');
}

/** Parses the length of a list. Throws InvalidArgumentError. */
export function parseCount(value: string): number {
  return parseNumber(value, MAX_LISTED);
}

/** Parses a number of concurrent operations. Throws InvalidArgumentError. */
export function parseConcurrency(value: string): number {
  return parseNumber(value, MAX_CONCURRENCY);
}

function parseNumber(value: string, max: number): number {
  const count = Number(value);
  if (/^\d+$/.test(value) && count >= 1 && count <= max) return count;
  throw new InvalidArgumentError(`It must be a number from 1 to ${max}.`);
}

/** Parses a path. An empty one, as of an unset variable, would be the current folder. Throws InvalidArgumentError. */
export function parsePath(value: string): string {
  if (value !== '') return value;
  throw new InvalidArgumentError('It must be a path.');
}

/** Parses a rate in bytes a second: `50MB/s`, `50MB` or `1.5GiB/s`. Throws InvalidArgumentError. */
export function parseByteRate(value: string): number {
  const [, count, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?) ?((?:k|M|G|Ki|Mi|Gi)?)B(?:\/s)?$/.exec(value) ?? [];
  const bytes = Number(count) * (FACTORS[unit] as number);
  if (bytes >= 1) return bytes;
  throw new InvalidArgumentError('It must be a number of bytes in a second such as 50MB/s or 500kB/s.');
}

/** Parses the size of a sample: `5%` or `1000`. Throws InvalidArgumentError. */
export function parseSample(value: string): Sample {
  const [, digits, isPercent] = /^(\d{1,10}(?:\.\d{1,4})?)(%?)$/.exec(value) ?? [];
  const number = Number(digits);
  if (isPercent && number > 0 && number <= 100) return { percent: number };
  if (isPercent === '' && Number.isInteger(number) && number >= 1 && number <= MAX_SAMPLE) return { files: number };
  throw new InvalidArgumentError('It must be a part such as 5%, or a number of files such as 1000.');
}

/** Parses the period of a schedule, in seconds, or `off`. Throws InvalidArgumentError. */
export function parsePeriod(value: string): number | 'off' {
  if (value === 'off') return value;
  const seconds = parseDuration(value);
  if (seconds !== undefined && seconds >= MIN_PERIOD_S && seconds <= MAX_PERIOD_S) return seconds;
  throw new InvalidArgumentError('It must be a time such as 12h or 30d, from 1h, or off.');
}

/** Parses an age, in seconds, of objects that no process is still working on. Throws InvalidArgumentError. */
export function parseAge(value: string): number {
  const seconds = parseDuration(value);
  if (seconds !== undefined && seconds >= MIN_PERIOD_S && seconds <= MAX_PERIOD_S) return seconds;
  throw new InvalidArgumentError('It must be a time such as 2h or 7d, from 1h.');
}
