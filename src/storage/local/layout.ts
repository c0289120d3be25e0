import { join } from 'node:path';
import { nameOfKey, requireKey, shardOfKey } from '../key.ts';
import { markerNameOf } from '../staged-objects.ts';

/** The paths in the folder of a store. */
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
    markerAt: (folder, key) => join(folder, markerNameOf(name(key))),
  };
}
