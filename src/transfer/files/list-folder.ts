import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PackageError } from './package.ts';
import { shown } from './package-path.ts';

/** No package has more: their names are held in memory. */
export const MAX_FILES = 250_000;

/** A file of a folder, with what its size was. */
export interface ListedFile {
  readonly path: string;
  readonly bytes: number;
}

/**
 * The files below a folder, by path in it, in the order of their names. Throws PackageError for links, devices, pipes and
 * sockets, and for more than `maxFiles`.
 */
export async function listFolder(folder: string, maxFiles = MAX_FILES): Promise<Map<string, ListedFile>> {
  const found = new Map<string, ListedFile>();
  const visit = async (relative: string): Promise<void> => {
    for (const name of (await readdir(join(folder, relative))).sort()) {
      const inside = relative === '' ? name : `${relative}/${name}`;
      const path = join(folder, inside);
      const entry = await lstat(path);
      if (entry.isDirectory()) await visit(inside);
      else if (!entry.isFile()) throw notAFile(path, entry.isSymbolicLink());
      else found.set(inside, { path, bytes: entry.size });
      if (found.size > maxFiles)
        throw new PackageError(`${shown(folder)} holds more than ${maxFiles} files, which is the most it may.`);
    }
  };
  await visit('');
  return found;
}

/** Throws PackageError unless there is a folder, and not a link to one, at a path. */
export async function requireFolder(path: string): Promise<void> {
  const entry = await lstat(path);
  if (!entry.isDirectory()) throw notAFolder(path, entry.isSymbolicLink());
}

function notAFile(path: string, isLink: boolean): PackageError {
  const what = isLink ? 'a link' : 'neither a file nor a folder';
  return new PackageError(`${shown(path)} is ${what}; only files and folders may be in a package.`);
}

function notAFolder(path: string, isLink: boolean): PackageError {
  return new PackageError(`${shown(path)} is ${isLink ? 'a link' : 'not a folder'}; it must be a folder.`);
}
