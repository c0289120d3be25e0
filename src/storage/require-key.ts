import { storageFailed } from './errors.ts';
import { isKey } from './key.ts';

/**
 * The key, if it is one. Throws `storage-failed`: a row that was tampered with, or belongs to another store, must not
 * lead out of the place where the objects are.
 */
export function requireKey(key: string): string {
  if (isKey(key)) return key;
  throw storageFailed('The file could not be found in the store.', new Error(`${JSON.stringify(key)} is not a key`));
}
