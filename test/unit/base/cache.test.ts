import { describe, expect, it } from 'bun:test';
import { Cache } from '../../../src/base/cache.ts';

const bytesOf = (value: string) => value.length;

describe('a cache', () => {
  it('returns the latest value of a key', () => {
    const cache = new Cache<string>({ maxBytes: 10_000, bytesOf });
    cache.set('a', 'A');
    cache.set('a', 'B');
    expect({ a: cache.get('a'), b: cache.get('b') }).toEqual({ a: 'B', b: undefined });
  });

  it('drops the least recently used values beyond its size', () => {
    const cache = new Cache<string>({ maxBytes: 10_000, bytesOf });
    cache.set('a', 'x'.repeat(3_000));
    cache.set('b', 'x'.repeat(3_000));
    cache.get('a');
    cache.set('c', 'x'.repeat(3_500));
    expect(['a', 'b', 'c'].filter((key) => cache.get(key) !== undefined)).toEqual(['a', 'c']);
  });

  it('holds a bounded number of empty values', () => {
    const cache = new Cache<string, number>({ maxBytes: 10_000, bytesOf });
    for (let key = 0; key < 1_000; key++) cache.set(key, '');
    const held = Array.from({ length: 1_000 }, (_, key) => cache.get(key)).filter((value) => value !== undefined);
    expect(held.length).toBeGreaterThan(10);
    expect(held.length).toBeLessThan(50);
  });

  it('does not store an oversized value, and drops the previous one', () => {
    const cache = new Cache<string>({ maxBytes: 10_000, maxEntryBytes: 1_000, bytesOf });
    cache.set('a', 'x');
    cache.set('a', 'x'.repeat(1_000));
    expect(cache.get('a')).toBeUndefined();
  });

  it('returns a value until it expires', () => {
    let now = 500;
    const cache = new Cache<string>({ maxBytes: 10_000, bytesOf, now: () => now });
    cache.set('a', 'A', { expiresAtMs: 1_000 });
    now = 999;
    expect(cache.get('a')).toBe('A');
    now = 1_000;
    expect(cache.get('a')).toBeUndefined();
    now = 999;
    expect(cache.get('a')).toBeUndefined();
  });

  it('drops a value from the future after the clock is set back', () => {
    let now = 500;
    const cache = new Cache<string>({ maxBytes: 10_000, bytesOf, now: () => now });
    cache.set('a', 'A', { expiresAtMs: 1_000 });
    now = 499;
    expect(cache.get('a')).toBeUndefined();
  });

  it('drops all values when the state changes, even back to an earlier one', () => {
    let state = 7;
    const cache = new Cache<string>({ maxBytes: 10_000, bytesOf, state: () => state });
    cache.set('a', 'A', { state: cache.state() });
    expect(cache.get('a')).toBe('A');
    state = 8;
    expect(cache.get('a')).toBeUndefined();
    state = 7;
    expect(cache.get('a')).toBeUndefined();
  });

  it('does not cache missing values', async () => {
    const cache = new Cache<string>({ maxBytes: 10_000, bytesOf });
    const answers: (string | undefined)[] = [undefined, 'there', 'later'];
    const read = () => cache.read('a', async () => answers.shift());
    expect({ first: await read(), second: await read(), third: await read() }).toEqual({
      first: undefined,
      second: 'there',
      third: 'there',
    });
  });
});
