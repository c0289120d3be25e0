import { constants } from 'node:fs';
import { access, lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { Cache } from '../../base/cache.ts';
import { codeOf } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { type CellFault, shown } from '../../field-types/cell.ts';
import { hasControls } from '../../http/file-name.ts';
import { faulty } from './row-plan.ts';

/** A file that a table names, where it really is. */
export interface FoundFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

/** Finds files by what cells say: below one folder, links resolved. */
export type FindFile = (cell: string) => Promise<FoundFile | CellFault>;

const ADDRESS = /^[a-z][a-z0-9+.-]+:\/\//i;
const MAX_LISTING_BYTES = 16 * 1024 * 1024;
/** Estimated bytes of a listing: some thousand names. */
const LISTING_BYTES = 160 * 1024;
/** Of names that are compared with one that is not there, and of guesses in all: each takes a while. */
const MAX_COMPARED = 5_000;
const MAX_GUESSES = 100;

/** `folder` exists. What it holds is taken to stay as it is while the table is checked. */
export async function createFindFile(folder: string): Promise<FindFile> {
  const root = await realpath(folder);
  const listings = new Cache<Promise<string[]>>({ maxBytes: MAX_LISTING_BYTES, bytesOf: () => LISTING_BYTES });
  let guesses = 0;

  /** Lists a folder, once for all files that are not found in it by the very characters of their names. */
  function listed(path: string): Promise<string[]> {
    const known = listings.get(path);
    if (known) return known;
    const found = readdir(path);
    listings.set(path, found);
    return found;
  }

  async function resolved(path: string): Promise<FoundFile | CellFault> {
    const parent = await realpath(dirname(path));
    if (!isWithin(root, parent)) return leadsOut(path);
    const own = join(parent, basename(path));
    const entry = await lstat(own);
    if (!entry.isSymbolicLink()) return checked(own, entry.isFile(), entry.isDirectory(), entry.size);
    const target = await realpath(own);
    if (!isWithin(root, target)) return leadsOut(path);
    const facts = await stat(target);
    return checked(target, facts.isFile(), facts.isDirectory(), facts.size, basename(path));
  }

  async function checked(
    path: string,
    isFile: boolean,
    isFolder: boolean,
    bytes: number,
    name = basename(path),
  ): Promise<FoundFile | CellFault> {
    if (!isFile) return faulty(`${shown(name)} is ${isFolder ? 'a folder' : 'no regular file'}.`);
    if (hasControls(name)) return faulty(`The file name ${shown(name)} has control characters.`);
    await access(path, constants.R_OK);
    return { path, name, bytes };
  }

  function leadsOut(path: string): CellFault {
    return faulty(`${shown(relative(folder, path))} is a link that leads out of the folder of files.`);
  }

  async function missing(path: string, cell: string): Promise<FoundFile | CellFault> {
    const names: readonly string[] = await listed(dirname(path)).catch(() => []);
    const name = basename(path);
    if (names.includes(name)) return faulty(`${shown(cell)} is a link that leads nowhere.`);
    // One system writes é as one character in file names, another as two.
    const twin = names.find((each) => each !== name && each.normalize('NFC') === name.normalize('NFC'));
    if (twin !== undefined) return find(join(dirname(path), twin));
    const isCompared = names.length <= MAX_COMPARED && guesses < MAX_GUESSES;
    if (isCompared) guesses += 1;
    const guess = isCompared ? nearest(name, names) : undefined;
    const hint = guess !== undefined ? `; did you mean ${guess}?` : cell.includes('\\') ? '; folders end in "/".' : '.';
    return faulty(`There is no file ${shown(cell)} in the folder of files${hint}`);
  }

  async function find(cell: string): Promise<FoundFile | CellFault> {
    const path = resolve(folder, cell);
    if (!isWithin(resolve(folder), path) && !isWithin(root, path)) {
      const kind = isAbsolute(cell) ? 'is not in' : 'leads out of';
      return faulty(`${shown(cell)} ${kind} the folder of files.`);
    }
    if (path === resolve(folder) || path === root) return faulty(`${shown(cell)} is the folder of files itself.`);
    try {
      return await resolved(path);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return missing(path, cell);
      if (code === undefined) throw error;
      return faulty(`The file ${shown(cell)} cannot be read: ${code === 'EACCES' ? 'permission denied' : code}.`);
    }
  }

  return async (cell) =>
    ADDRESS.test(cell) ? faulty(`${shown(cell)} is an address; download the file, and name it here.`) : find(cell);
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
