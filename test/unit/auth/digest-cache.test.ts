import { expect, it } from 'bun:test';
import { DigestCache } from '../../../src/auth/digest-cache.ts';

const digestOf = (text: string | number) => new Bun.CryptoHasher('sha256').update(String(text)).digest();

it('finds what it remembers until its time is over', () => {
  const cache = new DigestCache<string>(100);
  cache.remember(digestOf('a'), 'A', 1_000);
  expect(cache.find(digestOf('a'), 999)).toBe('A');
  expect(cache.find(digestOf('b'), 999)).toBeUndefined();
  expect(cache.find(digestOf('a'), 1_000)).toBeUndefined();
  expect(cache.find(digestOf('a'), 999)).toBeUndefined();
});

it('does not take digests for the same that share all but one bit', () => {
  const cache = new DigestCache<string>(8);
  const digest = digestOf('a');
  cache.remember(digest, 'A', 1_000);
  for (let bit = 0; bit < 256; bit += 1) {
    const other = Buffer.from(digest);
    other[bit >> 3] = (other[bit >> 3] as number) ^ (1 << (bit & 7));
    expect(cache.find(other, 0)).toBeUndefined();
  }
});

it('remembers a digest once, with its latest value and time', () => {
  const cache = new DigestCache<string>(8);
  for (let round = 0; round < 20; round += 1) cache.remember(digestOf('a'), `A${round}`, 1_000 + round);
  cache.remember(digestOf('b'), 'B', 500);
  expect(cache.find(digestOf('a'), 1_018)).toBe('A19');
  expect(cache.find(digestOf('b'), 0)).toBe('B');
});

it('makes room by forgetting what would expire first', () => {
  const cache = new DigestCache<number>(8);
  for (let i = 1; i <= 9; i += 1) cache.remember(digestOf(i), i, i * 1_000);
  expect(cache.find(digestOf(1), 0)).toBeUndefined();
  for (let i = 2; i <= 9; i += 1) expect(cache.find(digestOf(i), 0)).toBe(i);
});

it('never holds more than it was made for', () => {
  const cache = new DigestCache<number>(1_000);
  for (let i = 0; i < 20_000; i += 1) cache.remember(digestOf(i), i, 1_000 + i);
  const held = Array.from({ length: 20_000 }, (_, i) => cache.find(digestOf(i), 0)).filter(
    (value) => value !== undefined,
  );
  expect(held).toHaveLength(1_000);
  expect(cache.find(digestOf(19_999), 0)).toBe(19_999);
});
