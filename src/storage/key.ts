import { randomBytes } from 'node:crypto';
import { storageFailed } from './errors.ts';

/** 128 random bits make keys unique without coordination. */
const KEY_BYTES = 16;
const SHARD_DIGITS = 2;
/** The length of a key: shard, slash and name. */
export const KEY_CHARS = SHARD_DIGITS + 1 + 2 * KEY_BYTES;
const SHARD = /^[0-9a-f]{2}$/;
const NAME = /^[0-9a-f]{32}$/;

/**
 * Generates a key for an object, such as `3f/3f2a…`: one of 256 shards, and a name in lower-case hexadecimal, which is safe
 * on every file system and contains no user input.
 */
export function newKey(): string {
  return keyOfName(randomBytes(KEY_BYTES).toString('hex'));
}

/** Returns true for a key as `newKey` makes them. */
export function isKey(text: string): boolean {
  const name = nameOfKey(text);
  return NAME.test(name) && text === keyOfName(name);
}

/**
 * Returns a valid key. Throws `storage-failed` for an invalid one: a manipulated row must not name a path outside the store.
 */
export function requireKey(key: string): string {
  if (isKey(key)) return key;
  throw storageFailed('The file could not be found in the store.', new Error(`${JSON.stringify(key)} is not a key`));
}

/** Returns true for the part of a key behind its shard. */
export function isKeyName(text: string): boolean {
  return NAME.test(text);
}

/** Returns the part of a key behind its shard, which alone is unique. */
export function nameOfKey(key: string): string {
  return key.slice(SHARD_DIGITS + 1);
}

/** Returns the shard of a key, such as `3f` of `3f/3f2a…`. */
export function shardOfKey(key: string): string {
  return key.slice(0, SHARD_DIGITS);
}

/** Returns the key for the part behind its shard. */
export function keyOfName(name: string): string {
  return `${name.slice(0, SHARD_DIGITS)}/${name}`;
}

/** Returns true for the name of a folder that holds objects. */
export function isShard(name: string): boolean {
  return SHARD.test(name);
}
