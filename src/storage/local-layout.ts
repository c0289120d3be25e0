import { join } from 'node:path';
import { storageFailed } from './errors.ts';
import { isKey, isKeyName, nameOfKey, shardOfKey } from './key.ts';

/** Behind the name of an object that was moved to its place, where the file system has no hard links. */
const MOVED = '.moved';

/** Where things are in the folder of a store. */
export interface LocalLayout {
  readonly root: string;
  /** One folder for each process, with the names of what it has staged. */
  readonly incoming: string;
  shardOf(key: string): string;
  objectAt(key: string): string;
  /** The name under which a process writes an object, and which stays until it is kept. */
  stagedAt(folder: string, key: string): string;
  /** The empty file that stands for that name once it has become the object. */
  markerAt(folder: string, key: string): string;
}

/** Throws `storage-failed` from every member that is given something that is no key. */
export function createLocalLayout(root: string): LocalLayout {
  const name = (key: string) => nameOfKey(requireKey(key));
  return {
    root,
    incoming: join(root, 'incoming'),
    shardOf: (key) => join(root, shardOfKey(requireKey(key))),
    objectAt: (key) => join(root, shardOfKey(requireKey(key)), name(key)),
    stagedAt: (folder, key) => join(folder, name(key)),
    markerAt: (folder, key) => join(folder, `${name(key)}${MOVED}`),
  };
}

/** The key's name in the name of a staged object or of its marker; undefined for any other file. */
export function parseStagedName(file: string): { name: string; isMarker: boolean } | undefined {
  const isMarker = file.endsWith(MOVED);
  const name = isMarker ? file.slice(0, -MOVED.length) : file;
  return isKeyName(name) ? { name, isMarker } : undefined;
}

/** A row that was tampered with, or belongs to another store, must not lead out of the folder. */
function requireKey(key: string): string {
  if (isKey(key)) return key;
  throw storageFailed('The file could not be found in the store.', new Error(`${JSON.stringify(key)} is not a key`));
}
