import { join } from 'node:path';
import { nameOfKey, requireKey, shardOfKey } from '../key.ts';
import { markerNameOf } from '../staged-objects.ts';

/** The paths in the folder of a store. */
export interface LocalLayout {
  readonly root: string;
  /** Holds one folder per process with the names of its staged objects. */
  readonly incoming: string;
  shardOf(key: string): string;
  objectAt(key: string): string;
  /** The name under which a process writes an object; it exists until the object is kept. */
  stagedAt(folder: string, key: string): string;
  /** The empty file that replaces the staged name after a move. */
  markerAt(folder: string, key: string): string;
}

/** Creates the layout. Its members throw `storage-failed` for an invalid key. */
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
