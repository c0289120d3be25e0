import { InvalidArgumentError } from 'commander';

const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
};

/** The bytes in a second of `50MB/s`, `50MB` or `1.5GiB/s`. Throws InvalidArgumentError. */
export function parseByteRate(value: string): number {
  const [, count, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?) ?((?:k|M|G|Ki|Mi|Gi)?)B(?:\/s)?$/.exec(value) ?? [];
  const bytes = Number(count) * (FACTORS[unit] as number);
  if (bytes >= 1) return bytes;
  throw new InvalidArgumentError('It must be a number of bytes in a second such as 50MB/s or 500kB/s.');
}
