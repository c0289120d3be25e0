import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PackageError } from './package.ts';
import { shown } from './package-path.ts';

/** Maximum number of files of a package, whose names are in memory. */
export const MAX_FILES = 250_000;

/** A file of a folder, with its size at the time of listing. */
export interface ListedFile {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Lists the files below a folder by relative path, ordered by name. Throws PackageError for links, devices, pipes and
 * sockets, and above `maxFiles`.
 */
export async function listFolder(folder: string, maxFiles = MAX_FILES): Promise<Map<string, ListedFile>> {
  const files = new Map<string, ListedFile>();
  const visit = async (relative: string): Promise<void> => {
    for (const name of (await readdir(join(folder, relative))).sort()) {
      const inside = relative === '' ? name : `${relative}/${name}`;
      const path = join(folder, inside);
      const entry = await lstat(path);
      if (entry.isDirectory()) await visit(inside);
      else if (!entry.isFile()) throw notAFile(path, entry.isSymbolicLink());
      else files.set(inside, { path, bytes: entry.size });
      if (files.size > maxFiles)
        throw new PackageError(`${shown(folder)} has more than ${maxFiles} files, the maximum.`);
    }
  };
  await visit('');
  return files;
}

/** Throws PackageError unless the path is a folder and no link. */
export async function requireFolder(path: string): Promise<void> {
  const entry = await lstat(path);
  if (!entry.isDirectory()) throw notAFolder(path, entry.isSymbolicLink());
}

function notAFile(path: string, isLink: boolean): PackageError {
  const kind = isLink ? 'a link' : 'neither a file nor a folder';
  return new PackageError(`${shown(path)} is ${kind}; a package may contain only files and folders.`);
}

function notAFolder(path: string, isLink: boolean): PackageError {
  return new PackageError(`${shown(path)} is ${isLink ? 'a link' : 'not a folder'}; it must be a folder.`);
}
