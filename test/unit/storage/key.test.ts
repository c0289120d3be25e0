import { describe, expect, it } from 'bun:test';
import { isKey, keyOfName, nameOfKey, newKey, shardOfKey } from '../../../src/storage/key.ts';

describe('keys', () => {
  it('are unique, and spread over the shards', () => {
    const keys = Array.from({ length: 5000 }, newKey);
    expect(new Set(keys).size).toBe(5000);
    expect(keys.every(isKey)).toBe(true);
    expect(new Set(keys.map(shardOfKey)).size).toBe(256);
  });

  it('are derived from their file names', () => {
    const key = newKey();
    expect(keyOfName(nameOfKey(key))).toBe(key);
    expect(key.startsWith(`${shardOfKey(key)}/${shardOfKey(key)}`)).toBe(true);
  });

  const name = '3f'.repeat(16);
  it.each([
    ['nothing', ''],
    ['a name without its shard', name],
    ['another shard', `4f/${name}`],
    ['capitals', `3F/${name.toUpperCase()}`],
    ['too short', `3f/${name.slice(1)}`],
    ['too long', `3f/${name}0`],
    ['a line break behind', `3f/${name}\n`],
    ['another separator', `3f\\${name}`],
    ['a way up', '../../../../etc/passwd'],
    ['a way up from a shard', `3f/../${name.slice(3)}`],
    ['NUL', `3f/${name.slice(1)}\0`],
  ])('are invalid: %s', (_, text) => {
    expect(isKey(text)).toBe(false);
  });
});
